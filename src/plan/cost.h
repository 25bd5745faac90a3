/* What a solve will take: the steps of a method over the rates of the machine. */
#ifndef PDP_PLAN_COST_H
#define PDP_PLAN_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "cpu/kernel.h"

/* What is done how often in a second. Those of the engines are one for each pdp_machine_type, in that order. */
enum {
    PDP_RATE_INTERPRETER,
    PDP_RATE_LOOPS,
    PDP_RATE_TILES,
    PDP_RATE_BLOCKS = PDP_RATE_TILES + 7,
    PDP_RATE_BITS = PDP_RATE_BLOCKS + 7, /* and, or, xor of 32 bits: where a minimum takes longer */
    PDP_RATE_HU_SHING,
    PDP_RATE_KNUTH,
    PDP_RATE_SETTLE,
    PDP_RATE_RUNS,
    PDP_RATE_NEAR_BLOCKS, /* what does not grow with vectors: cells, what they wait for, loads */
    PDP_RATE_NEAR_RUNS,
    PDP_RATE_SERIES,
    PDP_RATE_BOSTAN_MORI,
    PDP_RATE_PAGES,
    PDP_RATE_COMPILER,
    PDP_RATE_GPU_TILES,
    PDP_RATE_GPU_BLOCKS,
    PDP_RATE_GPU_START,
    PDP_RATE_COUNT
};

struct pdp_rates {
    double values[PDP_RATE_COUNT];
    pdp_level level;
    bool is_measured; /* by `pipedp tune`, or set by the caller */
    pdp_error error;
};

/* The rates that are built in. */
void pdp_rates_set_defaults(pdp_rates *out, pdp_level level);

/* What `pipedp tune` left for this machine, level and version; else the defaults. */
void pdp_rates_find(pdp_rates *out, pdp_level level);

/* One way to solve a plan's problems. */
typedef struct pdp_cost {
    const struct pdp_method *method;
    bool is_refused;
    bool is_weak; /* it leaves little to check: another may take a little more */
    bool on_device;
    bool lacks_kernel; /* and must not compile one */
    bool is_unsure;    /* until the data is looked through */
    int rate;          /* of what takes most of the time, */
    double operations; /* and how much there is of it */
    double seconds;    /* of this and of everything else */
    uint64_t bytes;    /* at least */
    char reason[200];
} pdp_cost;

struct pdp_plan;

/* Why a method is no candidate, or NULL: it cannot solve a problem, or does not leave all that is asked for. */
const char *pdp_plan_refusal(const struct pdp_plan *plan, const struct pdp_method *method);

/* So few terms are done, by whatever method, before others are looked at; unless a type is asked for and the engine's
 * kernel has yet to be compiled for it. */
bool pdp_plan_is_small(struct pdp_plan *plan);

/* What is needed is what the plan needs. False if that is too much: the way is refused then. */
bool pdp_cost_fits(pdp_cost *cost, const struct pdp_plan *plan);
void pdp_cost_refuse(pdp_cost *cost, const char *why);

/* The fastest first, those that are refused last. */
void pdp_plan_sort_costs(struct pdp_plan *plan);

/* Fills the plan's list of costs: every method whose result is what is asked for, the fastest first; then those that
 * are refused, each with its reason. */
void pdp_plan_reckon(struct pdp_plan *plan);

/* Whether a GPU is worth the time that its driver takes to start, for the plan's engine. */
bool pdp_plan_device_pays(struct pdp_plan *plan);

/* Fills the plan's reasons: of its choice, type, sizes, memory and device, in words. */
enum { PDP_REASONS = 5 };
void pdp_plan_explain(struct pdp_plan *plan);

#endif
