#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const struct command {
    const char *name;
    const char *full_name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"solve", "pipedp solve", command_solve, "a recurrence from a file, or a built-in one, with its data"},
    {"list", "pipedp list", command_list, "the built-in recurrences and what they want to be given"},
    {"show", "pipedp show", command_show, "a recurrence as it was understood, or the C it becomes"},
    {"mcm", "pipedp mcm", command_mcm, "least cost and best order of a chain of matrix products"},
    {"sdp", "pipedp sdp", command_sdp, "a linear recurrence ST[i] = ST[i-a1] (x) ... (x) ST[i-ak]"},
    {"verify", "pipedp verify", command_verify, "a saved solution against its recurrence and its data"},
    {"trace", "pipedp trace", command_trace, "the paper's parallel methods step by step: text, JSON, pictures, costs"},
    {"selftest", "pipedp selftest", command_selftest, "every method against the reference on random problems"},
    {"bench", "pipedp bench", command_bench, "our speed beside the core's and a textbook loop's"},
    {"tune", "pipedp tune", command_tune, "measures this machine, for the choice between methods"},
    {"info", "pipedp info", command_info, "version, build, processor, devices"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *stream) {
    fputs("Usage: pipedp COMMAND [OPTION...]\n"
          "Dynamic programming by pipelines.\n\n"
          "Commands (pipedp COMMAND --help has options and examples):\n",
          stream);
    for (int c = 0; c < COMMAND_COUNT; c++) {
        fprintf(stream, "  %-9s %s\n", commands[c].name, commands[c].summary);
    }
    fputs("\nExamples:\n"
          "  pipedp solve nussinov --input s=GGGAAAUCC\n"
          "  pipedp mcm 30 35 15 5 10 20 25\n"
          "  pipedp sdp --op min --offsets 5,3,1 --init 9,4,7,2,8 -n 12\n"
          "  pipedp trace mcm 30 35 15 5 10 --format svg --output pipeline.svg\n\n"
          "Exit codes: 0 done; 1 could not be done; 2 bad usage or bad input; 3 a check found a mismatch;\n"
          "130 stopped by Ctrl-C.\n",
          stream);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_BAD_USE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("pipedp %s\n", pdp_version());
        return EXIT_DONE;
    }
    for (int c = 0; c < COMMAND_COUNT; c++) {
        if (strcmp(argv[1], commands[c].name) == 0) {
            argv[1] = (char *)commands[c].full_name; /* what argp calls us; never written to */
            return commands[c].run(argc - 1, argv + 1);
        }
    }
    return cli_fail(EXIT_BAD_USE, "'%s' is not a command; pipedp --help lists them", argv[1]);
}

static int exit_code(int code) {
    return cli_interrupted() != 0 ? EXIT_SIGNAL + cli_interrupted() : code;
}

/* At the exit, because argp exits on its own after --help. */
static void check_stdout(void) {
    if (cli_flush_stdout() != EXIT_DONE) {
        _exit(exit_code(EXIT_FAILED));
    }
}

int main(int argc, char **argv) {
    atexit(check_stdout);
    int code = run(argc, argv);
    cli_clear_progress();
    return exit_code(code); /* all is tidied up */
}
