/* The boundary of Siderail's engine for C: five functions, payloads of UTF-8 JSON, answers by callbacks.
 *
 * Everything is asynchronous: a function hands over and returns, and its results come through the
 * callbacks. Made from rust/jni/src/abi.rs: change that, and run the test that compares with SIDERAIL_BLESS=1.
 */

#ifndef SIDERAIL_H
#define SIDERAIL_H

#include <stddef.h>
#include <stdint.h>

// Bytes of an error's text, with the final zero.
#define SIDERAIL_ERROR_TEXT 1024

// What came of a verb.
typedef enum SiderailStatus {
  // It was handed over.
  SIDERAIL_STATUS_OK = 0,
  // The handle names no open engine.
  SIDERAIL_STATUS_CLOSED = 1,
  // An argument is null or cannot be understood.
  SIDERAIL_STATUS_INVALID = 2,
  // It could not be done.
  SIDERAIL_STATUS_FAILED = 3,
  // The engine has ended, so nobody will do it.
  SIDERAIL_STATUS_CANCELLED = 4,
  // A bug in this library; it was caught.
  SIDERAIL_STATUS_BUG = 5,
} SiderailStatus;

// Functions of the embedder, called from threads of the library, never from within a verb. Texts are UTF-8
// without a final zero and are valid during the call only. None may be null. Each should hand over and return.
typedef struct SiderailCallbacks {
  // Handed to each function; must be usable from any thread until `closed` has returned.
  void *context;
  // Takes a JSON array of events.
  void (*events)(void *context, const uint8_t *batch, size_t len);
  // Starts a host call, given as JSON; answered later by siderail_complete.
  void (*start)(void *context, uint64_t call, const uint8_t *request, size_t len);
  // The call is no longer wanted.
  void (*cancel)(void *context, uint64_t call);
  // Takes a log record: 1 is an error, 5 a trace.
  void (*log)(void *context,
              uint8_t level,
              const uint8_t *target,
              size_t target_len,
              const uint8_t *text,
              size_t text_len);
  // The engine has ended; nothing is called after this.
  void (*closed)(void *context);
} SiderailCallbacks;

// Filled in where a verb does not answer SIDERAIL_STATUS_OK.
typedef struct SiderailError {
  // UTF-8, ends with a zero. The first line says what happened, further lines what to do.
  char text[SIDERAIL_ERROR_TEXT];
} SiderailError;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of this boundary.
uint32_t siderail_abi_version(void);

// Starts an engine. Reads a few small files.
//
// # Safety
// `config` points to `len` bytes. `callbacks` and `handle` point to one of their kind each. `error` does, or is
// null.
enum SiderailStatus siderail_open(const uint8_t *config,
                                  size_t len,
                                  const struct SiderailCallbacks *callbacks,
                                  uint64_t *handle,
                                  struct SiderailError *error);

// Hands over a command.
//
// # Safety
// `command` points to `len` bytes. `error` points to one of its kind, or is null.
enum SiderailStatus siderail_send(uint64_t handle,
                                  const uint8_t *command,
                                  size_t len,
                                  struct SiderailError *error);

// Answers a host call. One that is over is no error.
//
// # Safety
// `reply` points to `len` bytes. `error` points to one of its kind, or is null.
enum SiderailStatus siderail_complete(uint64_t handle,
                                      uint64_t call,
                                      const uint8_t *reply,
                                      size_t len,
                                      struct SiderailError *error);

// Ends an engine; its `closed` comes when nothing of it is left.
//
// # Safety
// `error` points to one of its kind, or is null.
enum SiderailStatus siderail_close(uint64_t handle, struct SiderailError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SIDERAIL_H */
