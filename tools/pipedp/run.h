/* From a problem to its result: the options of a run, the run itself, its files, text and JSON. */
#ifndef PIPEDP_RUN_H
#define PIPEDP_RUN_H

#include <argp.h>
#include <stdbool.h>

#include "pipedp.h"

/* The files a run can write. All are opened before the solve and put in place after it. */
enum { RUN_TABLE, RUN_SPLITS, RUN_REPORT, RUN_SAVE, RUN_OUTPUT, RUN_FILES };

typedef struct run_input {
    /* run_argp */
    const char *algorithm;
    uint64_t memory;
    bool json;

    /* solve_argp */
    const char *type;    /* NULL for auto, as the library has it */
    uint64_t threads;    /* 0: not given */
    const char *backend; /* NULL for auto */
    uint64_t device_memory;
    bool resident;
    bool no_compile;
    bool dry_run;
    int verify; /* as the library has it */
    bool explain;

    /* run_parse_files */
    const char *paths[RUN_FILES];
    const char *print; /* the text of --print, NULL if it is not asked for */
    uint64_t first;
    uint64_t last;
    bool has_at; /* --at: the cell whose value is asked for */
    uint64_t at;
} run_input;

/* For a command's argp.children; the input of each is the run_input. */
extern const struct argp run_argp;   /* --algorithm, --memory, --json */
extern const struct argp solve_argp; /* those, and --type, --threads, --backend, ... */

/* The parser of a child with those of these options that a command has. */
enum { RUN_KEY_TABLE = 512, RUN_KEY_SPLITS, RUN_KEY_REPORT, RUN_KEY_PRINT, RUN_KEY_AT, RUN_KEY_SAVE };
#define RUN_SAVE_HELP "Write recurrence, data, answer and decisions, for pipedp verify"
error_t run_parse_files(int key, char *argument, struct argp_state *state);

/* An input that came from a file. */
typedef struct run_source {
    const char *name;
    const char *path;
} run_source;

enum { RUN_SOURCES = 32 };

/* What a command says of its problem. */
typedef struct run_front {
    const char *name; /* "mcm" */
    const pdp_problem *problem;
    pdp_shape shape;
    size_t n;                  /* cells; of an interval problem points - 1 */
    const char *heading[2];    /* the first line of the text: "matrices", "6" */
    const char *value_label;   /* "cost" */
    const char *report_label;  /* "order"; NULL: there is no report */
    const char *report_key;    /* in JSON */
    const char *report_option; /* "--order" */
    size_t offset_count;       /* S-DP; 0 otherwise */
    const char *op;
    pdp_overflow overflow; /* S-DP, which the recurrence does not tell; and the modulus */
    int64_t modulus;
    run_source sources[RUN_SOURCES]; /* the first without a name is the last */
} run_front;

/* Makes a plan and solves the problem, or tells of the plan alone; writes the files and prints the result. Returns an
 * exit code; on failure has said why. */
int run_problem(const run_input *input, const run_front *front);

/* Problems of one kind, and where they come from. */
typedef struct run_batch {
    const char *path;
    pdp_problem **problems;
    size_t *lines; /* of the file, from 1 */
    size_t count;
} run_batch;

/* The same for all of them in one plan: a line each. What `front` says of a problem holds for all; its problem is not
 * used, and its n is that of the first. */
int run_problems(const run_input *input, const run_front *front, const run_batch *batch);

/* Makes a plan, says what is to be noted of it, and runs it. Returns an exit code; on failure has said why, but not for
 * a run that was cancelled: whoever did that knows the reason. Both objects are the caller's to free in any case. */
int run_plan(const pdp_problem *problem, const pdp_options *options, pdp_plan **plan, pdp_solution **solution);

#endif
