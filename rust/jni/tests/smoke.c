/* What a program in C sees of the engine: one session that fails to start, told by events; misuse; the end. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "siderail.h"

/* Only in the library of tests. */
SiderailStatus siderail_testing_panic(SiderailError *error);

#define CHECK(what)                                                      \
    do {                                                                 \
        if (!(what)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);   \
            exit(1);                                                     \
        }                                                                \
    } while (0)

struct heard {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *text;
    size_t len;
    int closed;
};

static void take_events(void *context, const uint8_t *batch, size_t len) {
    struct heard *heard = context;
    pthread_mutex_lock(&heard->lock);
    heard->text = realloc(heard->text, heard->len + len + 1);
    CHECK(heard->text != NULL);
    memcpy(heard->text + heard->len, batch, len);
    heard->len += len;
    heard->text[heard->len] = '\0';
    pthread_cond_broadcast(&heard->changed);
    pthread_mutex_unlock(&heard->lock);
}

static void start_call(void *context, uint64_t call, const uint8_t *request, size_t len) {
    (void)context, (void)call, (void)request, (void)len;
}

static void cancel_call(void *context, uint64_t call) {
    (void)context, (void)call;
}

static void take_record(void *context, uint8_t level, const uint8_t *target, size_t target_len, const uint8_t *text,
                        size_t text_len) {
    (void)context;
    fprintf(stderr, "%d %.*s %.*s\n", level, (int)target_len, (const char *)target, (int)text_len, (const char *)text);
}

static void hear_closed(void *context) {
    struct heard *heard = context;
    pthread_mutex_lock(&heard->lock);
    heard->closed = 1;
    pthread_cond_broadcast(&heard->changed);
    pthread_mutex_unlock(&heard->lock);
}

static SiderailStatus send(uint64_t handle, const char *command, SiderailError *error) {
    return siderail_send(handle, (const uint8_t *)command, strlen(command), error);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    CHECK(siderail_abi_version() == 1);
    struct heard heard = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    SiderailCallbacks callbacks = {.context = &heard,
                                   .events = take_events,
                                   .start = start_call,
                                   .cancel = cancel_call,
                                   .log = take_record,
                                   .closed = hear_closed};
    SiderailError error;
    uint64_t handle = 0;
    char config[4096];
    int len = snprintf(config, sizeof config,
                       "{\"project\":\"%s/project\",\"relay\":[\"%s\",\"relay\"],\"runtime_dir\":\"%s/run\","
                       "\"env\":{\"HOME\":\"%s\"}}",
                       argv[1], argv[2], argv[1], argv[1]);
    const uint8_t *bytes = (const uint8_t *)config;

    CHECK(siderail_open(NULL, 0, &callbacks, &handle, &error) == SIDERAIL_STATUS_INVALID);
    CHECK(strstr(error.text, "config") != NULL);
    CHECK(siderail_open(bytes, (size_t)len, NULL, &handle, NULL) == SIDERAIL_STATUS_INVALID);
    CHECK(siderail_open(bytes, 5, &callbacks, &handle, &error) == SIDERAIL_STATUS_INVALID);
    SiderailCallbacks incomplete = callbacks;
    incomplete.closed = NULL;
    CHECK(siderail_open(bytes, (size_t)len, &incomplete, &handle, &error) == SIDERAIL_STATUS_INVALID);
    CHECK(strstr(error.text, "closed") != NULL);
    CHECK(siderail_testing_panic(&error) == SIDERAIL_STATUS_BUG);
    CHECK(strcmp(error.text, "provoked by test 8") == 0);
    CHECK(siderail_testing_panic(NULL) == SIDERAIL_STATUS_BUG);
    CHECK(handle == 0);

    CHECK(siderail_open(bytes, (size_t)len, &callbacks, &handle, &error) == SIDERAIL_STATUS_OK);
    CHECK(handle != 0);
    CHECK(send(handle, "{\"command\":\"dance\"}", &error) == SIDERAIL_STATUS_INVALID);
    CHECK(siderail_complete(handle, 1, (const uint8_t *)"x", 1, &error) == SIDERAIL_STATUS_INVALID);
    CHECK(send(handle,
               "{\"command\":\"start_session\",\"session\":1,\"options\":{\"agent\":\"nobody\","
               "\"agent_command\":[\"/no/such/agent\"]}}",
               &error) == SIDERAIL_STATUS_OK);
    pthread_mutex_lock(&heard.lock);
    while (heard.text == NULL || strstr(heard.text, "\"SUMMARY\"") == NULL) {
        pthread_cond_wait(&heard.changed, &heard.lock);
    }
    CHECK(strstr(heard.text, "\"event\":\"ERROR\"") != NULL);
    CHECK(strstr(heard.text, "/no/such/agent") != NULL);
    pthread_mutex_unlock(&heard.lock);

    CHECK(siderail_close(handle, &error) == SIDERAIL_STATUS_OK);
    CHECK(siderail_close(handle, &error) == SIDERAIL_STATUS_CLOSED);
    CHECK(send(handle, "{}", &error) == SIDERAIL_STATUS_CLOSED);
    CHECK(send(0, "{}", NULL) == SIDERAIL_STATUS_CLOSED);
    pthread_mutex_lock(&heard.lock);
    while (!heard.closed) {
        pthread_cond_wait(&heard.changed, &heard.lock);
    }
    pthread_mutex_unlock(&heard.lock);
    free(heard.text);
    return 0;
}
