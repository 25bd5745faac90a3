/* What all commands share: exit codes, messages, progress, output that appears whole or not at all. */
#ifndef PIPEDP_CLI_H
#define PIPEDP_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "pipedp.h"

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,   /* could not be done: memory, output not writable, overflow found while solving */
    EXIT_BAD_USE = 2,  /* bad usage or bad input */
    EXIT_MISMATCH = 3, /* a check found a mismatch */
    EXIT_SIGNAL = 128, /* and the number of the signal that asked to stop: 130 after Ctrl-C */
};

/* The commands. argv[0] is the command's full name, "pipedp mcm". */
int command_solve(int argc, char **argv);
int command_list(int argc, char **argv);
int command_show(int argc, char **argv);
int command_mcm(int argc, char **argv);
int command_sdp(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_tune(int argc, char **argv);
int command_info(int argc, char **argv);

/* Prints "pipedp: ..." to stderr and returns `code`. */
__attribute__((format(printf, 2, 3))) int cli_fail(int code, const char *format, ...);

/* The exit code for a status of the library. */
int cli_exit_code(pdp_status status);

/* argp_parse with our exit codes. Negative numbers among the arguments are not taken for options. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* For an option's value: does nothing if `wrong` is NULL, and otherwise ends the program by argp_error:
 * "--seed: 'x' is not a whole number". */
void cli_check_value(const struct argp_state *state, const char *option, const char *text, const char *wrong);

/* A path among the options, without the blank that cli_parse may have put in front. */
char *cli_path(char *argument);

double cli_now(void); /* seconds, going forward */

bool cli_has_colour(FILE *stream); /* a terminal, and NO_COLOR is not set */

/* From here on something goes on that may take long: `work` pieces called `unit`, 0 if that is not known. */
void cli_start_progress(double work, const char *unit);

/* A pdp_progress_function: after a second share, rate and time left on stderr, if that is a terminal. Cancels after a
 * signal. */
int cli_show_progress(void *context, double share);
void cli_clear_progress(void);

/* Where a result goes: a file (see pdp_file), or stdout for NULL. In both cases nothing is seen before
 * the commit, so that a run that fails halfway prints nothing. */
typedef struct cli_output {
    pdp_file *file;
    FILE *stream; /* write here */
} cli_output;

/* These return an exit code and say what went wrong. Finish brings a file to the disk; commit puts it in
 * place, or copies to stdout. */
int cli_output_open(cli_output *output, const char *path);
int cli_output_finish(cli_output *output);
int cli_output_commit(cli_output *output);
void cli_output_free(cli_output *output);

/* Has everything printed so far arrived? */
int cli_flush_stdout(void);

/* Signals that ask to stop are caught from here on, so that nothing is left half done; a second one ends the program at
 * once. */
void cli_catch_signals(void);

/* The number of the signal that asked to stop, or 0. */
int cli_interrupted(void);

/* A whole file, "-" for standard input, with a 0 behind it; the caller frees it. Returns an exit code and says what
 * went wrong, after "`name`: ". */
int cli_read_text(const char *name, const char *path, char **text, size_t *length);

/* What is there now cannot be had from this path again: a pipe, a terminal, or whatever this process has open. */
bool cli_is_read_once(const char *path);

#endif
