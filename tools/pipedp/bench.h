/* What the benchmarks share: options, rounds in which everyone has a turn, and the report. */
#ifndef PIPEDP_BENCH_H
#define PIPEDP_BENCH_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json.h"
#include "pipedp.h"

enum { BENCH_MOST_ROUNDS = 100, BENCH_MOST_ENTRIES = 24, BENCH_MOST_SIZES = 8, BENCH_NAME_SIZE = 64 };

typedef struct bench_options {
    uint64_t sizes[BENCH_MOST_SIZES]; /* --n; none: the benchmark's own */
    size_t size_count;
    const char *types; /* names with commas, or NULL */
    uint64_t rounds;
    uint64_t threads;
    uint64_t seed;
    bool is_full;
    bool json;
    const char *plot; /* a file, or NULL */
} bench_options;

extern const struct argp bench_argp; /* for argp.children; its input is a bench_options */

/* "4000" or "2^19". NULL, or what is wrong with it. */
const char *bench_parse_size(const char *text, uint64_t *out);

/* The item of a list with commas that starts at *list, into `item`; *list moves on. False at the end. */
bool bench_next_item(const char **list, char *item, size_t size);

/* NULL, or the first name of the list that is none; "" if the list is empty. It lasts until the next call. */
const char *bench_find_unknown(const char *list, bool is_name(const char *name));

/* A number from 1 to `most`, or an error that names the option. */
void bench_take_count(struct argp_state *state, const char *option, const char *text, uint64_t *out, uint64_t most);

/* The name is in the list, or there is none. */
bool bench_is_wanted(const char *list, const char *name);

/* One that has a turn in every round. */
typedef struct bench_entry {
    char name[BENCH_NAME_SIZE]; /* "by rows" */
    char detail[160];           /* what else there is to say */
    uint64_t n;
    int threads;
    double updates; /* of one turn */
    bool is_textbook;
    double (*run)(void *context); /* the seconds that the updates took; failed, it says why and returns -exit code */
    void *context;
    double rates[BENCH_MOST_ROUNDS]; /* updates a second */
} bench_entry;

/* One recurrence in one type. The first entry is the ceiling. */
typedef struct bench_case {
    char name[BENCH_NAME_SIZE]; /* "mcm" */
    char type[16];
    char verified[160]; /* how */
    pdp_ceiling *ceiling;
    double clock_rates[BENCH_MOST_ROUNDS]; /* cycles a second */
    bench_entry entries[BENCH_MOST_ENTRIES];
    size_t entry_count;
} bench_case;

/* A report of cases, in words or as JSON, and a picture. */
typedef struct bench_report {
    const char *command;
    const bench_options *options;
    bench_case *cases;
    size_t case_count;
} bench_report;

/* Seconds on the wall, or those of this process on its cores: the turn of one thread is not to suffer from whatever
 * else the machine does. */
double bench_seconds(bool on_the_wall);

/* Opens a new case whose first entry is the ceiling of the plan. Exit codes, as all below. */
int bench_case_open(bench_report *report, const char *name, const pdp_plan *plan);

/* The newest case, and a new entry of it. */
bench_case *bench_newest(bench_report *report);
bench_entry *bench_case_add(bench_case *one, const char *name, uint64_t n, double updates);

/* A value to be compared with another. Floats agree within what another order of additions explains. */
typedef struct bench_value {
    bool is_real;
    int64_t whole;
    double real;
    double slack; /* of floats, relative */
} bench_value;
bench_value bench_take_value(const pdp_plan *plan, const pdp_solution *solution);
bool bench_values_agree(const bench_value *one, const bench_value *other);
enum { BENCH_VALUE_SIZE = 32 };
const char *bench_format_value(const bench_value *value, char text[BENCH_VALUE_SIZE]); /* returns the text */
void bench_write_value(json *writer, const bench_value *value);

/* A turn of ours. */
typedef struct bench_solve {
    pdp_problem *problem;
    pdp_plan *plan;
    bench_value value; /* what was verified */
    bool on_the_wall;
} bench_solve;
double bench_run_solve(void *context);

/* The loops' tables are allocated once. Ours are too, if what a solve frees stays with the process: otherwise the
 * rounds measure how the system clears pages, which on a virtual machine can take longer than the solve. */
void bench_keep_memory(void);

/* All entries in turn, round after round. */
int bench_case_run(bench_case *one, const bench_options *options);

/* In words: the newest case, as soon as it has run. */
void bench_print_case(const bench_case *one, const bench_options *options);

/* At the end: JSON and the picture, if they are wanted. */
int bench_report_finish(const bench_report *report);
void bench_report_free(bench_report *report);

/* Median, and the least and the greatest. */
typedef struct bench_spread {
    double median;
    double least;
    double most;
} bench_spread;
bench_spread bench_find_spread(const double *values, size_t count);

/* The median over the rounds of how often one has the rate of the other. */
double bench_ratio(const bench_entry *one, const bench_entry *other, size_t rounds);

/* A picture of the cases by gnuplot. The first only looks whether there is a gnuplot. */
int bench_plot_check(void);
int bench_plot(const bench_report *report, const char *path);

/* The same for a picture of one's own. */
typedef void bench_script_function(FILE *out, const void *context);
int bench_plot_script(bench_script_function *write, const void *context, const char *path);

int bench_interval(int argc, char **argv);
int bench_linear(int argc, char **argv);
int bench_methods(int argc, char **argv);
int bench_checks(int argc, char **argv);
int bench_planner(int argc, char **argv);
int bench_gpu(int argc, char **argv);
int bench_paper(int argc, char **argv);

/* ---- What the textbook loops compute with ---- */

typedef struct bench_type {
    const char *name; /* "i32" */
    const char *in_c; /* "int32_t" */
    size_t bytes;
    double limit; /* holds all whole numbers up to it */
    void (*put)(void *to, size_t at, int64_t value);
    int64_t (*get)(const void *from, size_t at);
} bench_type;

const bench_type *bench_find_type(const char *name); /* NULL if there is none */

/* Numbers in a type; the caller frees them. NULL without memory. */
void *bench_convert(const bench_type *type, const int64_t *values, size_t count);

#endif
