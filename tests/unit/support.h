/* What the unit tests share: instances of problems, by hand or from the printed seed, and solving
 * them. A failed CHECK prints the seed and the instance at hand, so that it can be run again:
 *     PIPEDP_SEED=7 ctest -R unit_sdp          PIPEDP_LONG=1 for the long campaigns */
#ifndef PDP_TESTS_UNIT_SUPPORT_H
#define PDP_TESTS_UNIT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipedp.h"

/* The size of a campaign in the quick and in the long tier. */
size_t campaign(size_t quick, size_t in_long_tier);

/* PIPEDP_SEED, or a fixed one. Printed when it is first asked for. */
uint64_t test_seed(void);

enum { MAX_PRESETS = 1200, MAX_DIMS = 700 };

typedef struct sdp_instance {
    size_t n;
    size_t k;
    int64_t offsets[MAX_PRESETS];
    int64_t presets[MAX_PRESETS]; /* offsets[0] of them */
    pdp_operator op;
    pdp_overflow overflow;
    int64_t modulus;
} sdp_instance;

typedef struct mcm_instance {
    size_t n; /* matrices: n + 1 dimensions */
    int64_t dims[MAX_DIMS];
} mcm_instance;

/* k of the numbers 1 .. first as offsets, `first` among them, any set as likely as any other. */
void random_offsets(sdp_instance *instance, uint64_t *state, size_t k, size_t first);

/* Consecutive offsets k, k-1, ..., 1. */
void consecutive_offsets(sdp_instance *instance, size_t k);

/* Presets in the range. */
void random_presets(sdp_instance *instance, uint64_t *state, int64_t low, int64_t high);

/* n matrices with dimensions 1 .. most. */
void random_chain(mcm_instance *instance, uint64_t *state, size_t n, int64_t most);

/* Create and solve; every status must be PDP_OK. The problems are noted for a failing CHECK. */
pdp_problem *make_sdp(const sdp_instance *instance);
pdp_problem *make_mcm(const mcm_instance *instance);
pdp_problem *make_chain(const int64_t *dims, size_t count);
pdp_solution *solve(const pdp_problem *problem, const char *algorithm, const pdp_options *options);

/* What hears of a run's progress. */
typedef struct listener {
    size_t calls;
    size_t stop_at; /* the call that cancels; 0: none */
    double last;
    bool is_monotone;
} listener;

int hear(void *context, double share);

/* The record of a run with default width and latency, of a problem that is freed here. */
pdp_record record_of(pdp_problem *problem, const char *algorithm);

/* How many methods a kind of problem has. */
size_t method_count(pdp_shape kind);

/* A method that is for some problems alone is for this one. */
bool method_takes(const char *name, const sdp_instance *instance);

/* The method solves the problem, as far as a plan can tell. */
bool method_solves(const pdp_problem *problem, const char *name);

/* The method also runs on the step-exact machine; its solutions have a table. */
bool method_records(const char *name);
bool method_has_table(const char *name);

/* Kernels that are compiled go to a folder that is removed at the end, unless XDG_CACHE_HOME names one already. */
void use_test_cache(void);

void print_case(void);

/* The condition holds, or the seed, the instance and the message are printed and the test fails. */
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_case();                                                                                              \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            fail_msg("%s", #condition);                                                                                \
        }                                                                                                              \
    } while (0)

/* The text has the part in it. */
void assert_in(const char *text, const char *part);

#endif
