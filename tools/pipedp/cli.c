#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int cli_fail(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cli_clear_progress();
    fputs("pipedp: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

int cli_exit_code(pdp_status status) {
    return status == PDP_OK          ? EXIT_DONE
           : status == PDP_BAD_INPUT ? EXIT_BAD_USE
           : status == PDP_WRONG     ? EXIT_MISMATCH
                                     : EXIT_FAILED;
}

/* No option of ours begins with a digit, but numbers do. */
static bool is_negative_number(const char *text) {
    return text[0] == '-' && text[1] >= '0' && text[1] <= '9';
}

void cli_parse(const struct argp *argp, int argc, char **argv, void *input) {
    argp_err_exit_status = EXIT_BAD_USE;
    setenv("ARGP_HELP_FMT", "rmargin=100", 0); /* examples of the help stay on one line */
    /* A blank in front keeps getopt from taking -5 for an option, and every reader of numbers skips it.
     * The copies live as long as the arguments do: to the end of the program. */
    for (int a = 1; a < argc; a++) {
        char *shielded;
        if (is_negative_number(argv[a]) && asprintf(&shielded, " %s", argv[a]) >= 0) {
            argv[a] = shielded;
        }
    }
    argp_parse(argp, argc, argv, 0, NULL, input);
}

void cli_check_value(const struct argp_state *state, const char *option, const char *text, const char *wrong) {
    if (wrong) {
        argp_error(state, "%s: '%s' %s", option, text + strspn(text, " "), wrong);
    }
}

char *cli_path(char *argument) {
    return argument + (argument[0] == ' ' && is_negative_number(argument + 1));
}

bool cli_has_colour(FILE *stream) {
    const char *no_colour = getenv("NO_COLOR");
    return isatty(fileno(stream)) && !(no_colour && *no_colour != '\0');
}

double cli_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Shown only when there is something to wait for, and then not more often than one can read. */
static struct progress {
    double started_at;
    double shown_at; /* 0: it is not shown */
    int length;      /* of the line that is shown */
    double work;
    const char *unit;
} progress;

void cli_start_progress(double work, const char *unit) {
    progress = (struct progress){.started_at = cli_now(), .work = work, .unit = unit};
}

/* ", 4.2 G terms/s" */
static int format_rate(char *text, size_t size, double rate) {
    static const char *const prefixes[] = {"", "k ", "M ", "G ", "T "};
    int prefix = 0;
    for (; rate >= 1000 && prefix < 4; prefix++) {
        rate /= 1000;
    }
    return snprintf(text, size, ", %.3g %s%s/s", rate, prefixes[prefix], progress.unit);
}

static int format_time(char *text, size_t size, double seconds) {
    const long whole = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000;
    return whole < 100     ? snprintf(text, size, ", %ld s left", whole)
           : whole < 36000 ? snprintf(text, size, ", %ld:%02ld min left", whole / 60, whole % 60)
                           : snprintf(text, size, ", %ld hours left", whole / 3600);
}

int cli_show_progress(void *context, double share) {
    (void)context;
    if (cli_interrupted() != 0 || !isatty(STDERR_FILENO)) {
        return cli_interrupted();
    }
    const double now = cli_now();
    const double elapsed = now - progress.started_at;
    if (elapsed < 1 || now - progress.shown_at < 0.1) {
        return 0;
    }
    char line[120];
    int length = snprintf(line, sizeof line, "%5.1f %%", 100 * share);
    if (progress.work > 0) {
        length += format_rate(line + length, sizeof line - (size_t)length, share * progress.work / elapsed);
    }
    if (share > 0) {
        length += format_time(line + length, sizeof line - (size_t)length, elapsed * (1 - share) / share);
    }
    fprintf(stderr, "\r%-*s", progress.length, line); /* over all of the last one */
    progress.length = length;
    progress.shown_at = now;
    return 0;
}

void cli_clear_progress(void) {
    if (progress.shown_at > 0) {
        fprintf(stderr, "\r%*s\r", progress.length, "");
        progress.shown_at = 0;
        progress.length = 0;
    }
}

static volatile sig_atomic_t caught_signal;

static void catch_signal(int number) {
    caught_signal = number;
}

int cli_interrupted(void) {
    return caught_signal;
}

void cli_catch_signals(void) {
    static bool is_caught;
    if (is_caught) { /* a second signal stays the last */
        return;
    }
    is_caught = true;
    struct sigaction action = {.sa_handler = catch_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGPIPE, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file too large is an error like a full disk */
}

/* Reads to the end of the stream. NULL, with errno set, if that fails. */
static char *read_stream(FILE *stream, size_t *length) {
    size_t room = 1 << 16;
    char *text = malloc(room);
    size_t used = 0;
    while (text) {
        used += fread(text + used, 1, room - 1 - used, stream);
        if (used < room - 1) {
            break;
        }
        room *= 2;
        char *more = room <= pdp_memory_available() / 2 ? realloc(text, room) : NULL;
        if (!more) {
            free(text);
        }
        text = more;
    }
    if (!text) {
        errno = ENOMEM;
    } else if (ferror(stream)) {
        free(text);
        text = NULL;
    } else {
        text[used] = '\0';
    }
    *length = used;
    return text;
}

int cli_read_text(const char *name, const char *path, char **text, size_t *length) {
    const bool is_stdin = strcmp(path, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "rbe");
    *text = NULL;
    errno = stream ? 0 : errno;
    if (stream) {
        *text = read_stream(stream, length);
    }
    const int code = errno;
    if (stream && !is_stdin) {
        fclose(stream);
    }
    return *text ? EXIT_DONE : cli_fail(EXIT_BAD_USE, "%s: '%s' cannot be read: %s", name, path, strerror(code));
}

bool cli_is_read_once(const char *path) {
    static const char *const open_here[] = {"/dev/stdin", "/dev/fd/", "/proc/self/fd/"}; /* which may be a file, now */
    struct stat about;
    bool is_open_here = strcmp(path, "-") == 0;
    for (size_t x = 0; x < sizeof open_here / sizeof *open_here; x++) {
        is_open_here |= strncmp(path, open_here[x], strlen(open_here[x])) == 0;
    }
    return is_open_here || (stat(path, &about) == 0 && !S_ISREG(about.st_mode));
}

int cli_flush_stdout(void) {
    static bool was_told;
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return EXIT_DONE;
    }
    if (!was_told && cli_interrupted() == 0) { /* who closed the pipe knows */
        was_told = true;
        cli_fail(EXIT_FAILED, "the output cannot be written: %s", strerror(errno != 0 ? errno : EIO));
    }
    return EXIT_FAILED;
}

int cli_output_open(cli_output *output, const char *path) {
    *output = (cli_output){0};
    if (path) {
        cli_catch_signals();
        pdp_status status = pdp_file_create(&output->file, path);
        if (status != PDP_OK) {
            return cli_fail(cli_exit_code(status), "%s", pdp_file_error(output->file));
        }
        output->stream = pdp_file_stream(output->file);
        return EXIT_DONE;
    }
    output->stream = tmpfile();
    return output->stream ? EXIT_DONE : cli_fail(EXIT_FAILED, "no temporary file: %s", strerror(errno));
}

int cli_output_finish(cli_output *output) {
    pdp_status status = output->file ? pdp_file_finish(output->file) : PDP_OK;
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_file_error(output->file));
}

int cli_output_commit(cli_output *output) {
    if (output->file) {
        pdp_status status = pdp_file_commit(output->file);
        return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_file_error(output->file));
    }
    char chunk[1 << 16];
    size_t got;
    if (ferror(output->stream) || fflush(output->stream) != 0) {
        return cli_fail(EXIT_FAILED, "the temporary file for the output is full: %s", strerror(errno));
    }
    rewind(output->stream);
    while ((got = fread(chunk, 1, sizeof chunk, output->stream)) > 0) {
        fwrite(chunk, 1, got, stdout); /* main checks stdout when all is done */
    }
    return EXIT_DONE;
}

void cli_output_free(cli_output *output) {
    if (output->file) {
        pdp_file_free(output->file);
    } else if (output->stream) {
        fclose(output->stream);
    }
}
