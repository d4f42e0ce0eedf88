/* qemu-user runs one program, and the kernel knows no other way to run what that program starts. Loaded into it, this
 * starts programs of its own machine in qemu as well; built for this machine and loaded into its programs, such as the
 * shell, it does the same for what they start. QEMU, LIBRARIES, SELF (for ARM) and HOST are paths, given by the build. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MOST 4096

extern char **environ;

typedef int Spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,
                  char *const *);
typedef int Exec(const char *, char *const *, char *const *);

/* A program for ARM. Scripts and the host's own programs are the kernel's matter. */
static int is_ours(const char *path)
{
    Elf64_Ehdr head;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t length = read(file, &head, sizeof head);
    close(file);
    return length == sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_machine == EM_AARCH64;
}

/* What a name without a slash leads to by PATH; the name itself where nothing does. */
static const char *found(const char *name, char place[PATH_MAX])
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path)
        return name;
    while (*path) {
        size_t length = strcspn(path, ":");
        snprintf(place, PATH_MAX, "%.*s/%s", (int)length, path, name);
        if (access(place, X_OK) == 0)
            return place;
        path += length + (path[length] == ':');
    }
    return name;
}

/* The command line in qemu; nothing where it is too long. */
static int in_qemu(const char *path, char *const *argv, char **into)
{
    char *before[] = {QEMU, "-L", LIBRARIES, "-E", "LD_PRELOAD=" SELF, "-0", argv[0], (char *)path};
    size_t n = sizeof before / sizeof *before;
    memcpy(into, before, sizeof before);
    for (size_t at = 1; argv[0] && argv[at]; at++) {
        if (n + 1 >= MOST)
            return 0;
        into[n++] = argv[at];
    }
    into[n] = NULL;
    return 1;
}

/* A program's environment is what it was given. */
__attribute__((constructor)) static void hide(void)
{
    unsetenv("LD_PRELOAD");
}

/* Each machine's programs can load their own library only. */
static void for_host(char *const *envp, char **into)
{
    size_t n = 0;
    into[n++] = "LD_PRELOAD=" HOST;
    for (; envp && *envp && n + 1 < MOST; envp++)
        if (strncmp(*envp, "LD_PRELOAD=", 11) != 0)
            into[n++] = *envp;
    into[n] = NULL;
}

int execve(const char *path, char *const *argv, char *const *envp)
{
    Exec *real = (Exec *)dlsym(RTLD_NEXT, "execve");
    char *words[MOST], *variables[MOST];
    for_host(envp, variables);
    if (!is_ours(path))
        return real(path, argv, variables);
    if (!in_qemu(path, argv, words)) {
        errno = E2BIG;
        return -1;
    }
    return real(QEMU, words, variables);
}

int execvp(const char *name, char *const *argv)
{
    char place[PATH_MAX];
    return execve(found(name, place), argv, environ);
}

static int spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
    Spawn *real = (Spawn *)dlsym(RTLD_NEXT, "posix_spawn");
    char *words[MOST], *variables[MOST];
    for_host(envp, variables);
    if (!is_ours(path))
        return real(pid, path, actions, attributes, argv, variables);
    if (!in_qemu(path, argv, words))
        return E2BIG;
    return real(pid, QEMU, actions, attributes, words, variables);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
    return spawn(pid, path, actions, attributes, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
    char place[PATH_MAX];
    return spawn(pid, found(name, place), actions, attributes, argv, envp);
}

#ifdef __aarch64__
/* qemu refuses to make a process the parent of what its children leave behind. It is said to be one: nothing that is run
 * here leaves processes behind, and what does is not run. */
int prctl(int option, ...)
{
    typedef int Control(int, ...);
    unsigned long values[4];
    if (option == PR_SET_CHILD_SUBREAPER)
        return 0;
    va_list list;
    va_start(list, option);
    for (size_t at = 0; at < 4; at++)
        values[at] = va_arg(list, unsigned long);
    va_end(list);
    return ((Control *)dlsym(RTLD_NEXT, "prctl"))(option, values[0], values[1], values[2], values[3]);
}
#endif
