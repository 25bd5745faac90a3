/* What pipedp bench paper measures, and what it makes of it. */
#ifndef PIPEDP_BENCH_PAPER_H
#define PIPEDP_BENCH_PAPER_H

#include "bench.h"

enum { PAPER_ROWS = 3, PAPER_METHODS = 9, PAPER_MOST_RUNS = 100 };
enum { PAPER_CHAINS = 5, PAPER_CHAIN_METHODS = 11, PAPER_SCHEDULES = 4 };

/* A method where it runs. */
typedef struct paper_method {
    const char *name;
    const char *algorithm; /* the library's; NULL: a loop of our own on the CPU */
    bool on_device;
    bool resident;
    bool first_row_only;
} paper_method;

extern const paper_method paper_methods[PAPER_METHODS]; /* of S-DP; the first three are the paper's columns */
extern const paper_method paper_chain_methods[PAPER_CHAIN_METHODS];

/* A method on a problem. */
typedef struct paper_cell {
    size_t runs;   /* that are averaged; 0: there are none, */
    char why[320]; /* for this reason */
    char type[16];
    int threads;                     /* of the CPU */
    double seconds[PAPER_MOST_RUNS]; /* by the device's clock from the first step to the last; on the CPU, of a solve */
    double whole[PAPER_MOST_RUNS];   /* with the transfers */
    double expected;                 /* seconds, if it was left out or might have been */
} paper_cell;

/* What is computed on a row of Table I. */
typedef enum paper_kind { PAPER_PLAIN, PAPER_WEIGHTED, PAPER_CONSECUTIVE, PAPER_KINDS } paper_kind;

typedef struct paper_range {
    uint64_t low_n, high_n, low_k, high_k;
    double milliseconds[3]; /* the paper's; 0: none */
} paper_range;

typedef struct paper_row {
    paper_range range;
    uint64_t n;
    uint64_t k;
    int64_t *offsets;
    int64_t *consecutive; /* k, ..., 1 */
    int64_t *presets;
    int64_t *weights;
    bool is_measured[PAPER_KINDS];
    paper_cell cells[PAPER_KINDS][PAPER_METHODS];
} paper_row;

/* What the memory models say of a schedule. */
typedef struct paper_cost {
    bool is_known;
    bool is_estimate; /* from smaller sizes */
    double operations;
    double dmm;
    double umm;
} paper_cost;

typedef struct paper_chain {
    uint64_t n;
    paper_cell cells[PAPER_CHAIN_METHODS];
    paper_cost costs[PAPER_SCHEDULES];
} paper_chain;

extern const char *const paper_schedules[PAPER_SCHEDULES];

/* How often the groups of a method meet: launches, or waits for each other. */
double paper_count_steps(const char *algorithm, uint64_t n, uint64_t k, uint64_t first);
double paper_count_chain_steps(const char *algorithm, uint64_t n);

typedef struct paper_report {
    const char *backend; /* "auto" and so on, as wished */
    const char *parts;
    const char *plot;
    bool json;
    bool is_small;
    uint64_t seed;
    uint64_t runs;
    double seconds; /* that a cell may take, beyond its first execution */
    uint64_t model; /* the largest chain whose costs the machine computes */
    double limit;   /* seconds that a chain may take */

    pdp_device *device; /* or NULL, */
    char why[320];      /* for this reason */
    paper_row rows[PAPER_ROWS];
    paper_chain chains[PAPER_CHAINS];
    size_t chain_count; /* that are done */
} paper_report;

/* In words, as soon as it is measured. */
void paper_print_head(const paper_report *report);
void paper_print_row(const paper_report *report, size_t number);
void paper_print_consecutive(const paper_report *report, size_t number);
void paper_print_chains(const paper_report *report);

void paper_write_json(const paper_report *report);
int paper_plot(const paper_report *report);

#endif
