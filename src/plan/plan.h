/* A plan, as the files of this folder know it. */
#ifndef PDP_PLAN_PLAN_H
#define PDP_PLAN_PLAN_H

#include "cpu/bostan_mori.h"
#include "cpu/data.h"
#include "cpu/kernel.h"
#include "cpu/linear.h"
#include "gpu/device.h"
#include "plan/cost.h"
#include "schedule/machine.h"
#include "solution/solution.h"

typedef enum pdp_method_kind {
    PDP_PLAIN,     /* the textbook's loops: the paper's problems in C, others by the interpreter */
    PDP_ENGINE,    /* tiles or blocks */
    PDP_SHORTCUT,  /* does without most of the terms: see pdp_shortcut */
    PDP_STEP_EXACT /* the paper's methods, on the step-exact machine alone */
} pdp_method_kind;

/* A method on the CPU that needs no machine, and no kernel but one that it opens itself. */
typedef struct pdp_shortcut {
    /* Why it cannot solve a problem as the plan's options have it, or NULL. */
    const char *(*refuse)(const pdp_plan *plan, const pdp_problem *problem);
    /* Sets the type of the stamp, as far as the user's wish allows; NULL: that of the plain loops. */
    pdp_status (*choose_type)(pdp_plan *plan);
    /* What it takes besides decisions and splits. */
    uint64_t (*bytes)(const pdp_plan *plan, const pdp_problem *problem);
    /* Leaves value, table and decisions, as far as they are wanted, in the solution. */
    pdp_status (*run)(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress);
    /* About how many steps of its innermost loop that takes, for a choice between methods; NULL: those of the engine.
     * Asks nothing of the plan but its options, and takes far less time than the run. */
    double (*operations)(const pdp_plan *plan, const pdp_problem *problem);
    /* What the plan does before it is sure of the method, or NULL: opens what a run needs, and looks through the data,
     * however long that takes. PDP_BAD_INPUT with the reason if the method cannot solve problem *number after all. */
    pdp_status (*prepare)(pdp_plan *plan, size_t *number);
} pdp_shortcut;

typedef struct pdp_method {
    const char *name;
    pdp_method_kind kind;
    bool guaranteed;
    pdp_schedule_function *schedule; /* on the step-exact machine, or NULL */
    const pdp_shortcut *shortcut;    /* of that kind, or NULL */
} pdp_method;

/* For one problem, or for several of one kind: what is chosen fits them all. */
struct pdp_plan {
    const pdp_problem **problems;
    size_t count;
    const pdp_problem *problem; /* the first, for all in which they are alike */
    double terms;               /* of all */
    const pdp_method *method;
    pdp_options options;
    pdp_watch watch;
    pdp_schedule schedule; /* at its start, if the machine runs it; a plan for several has none */
    bool on_machine;
    bool owns_device;
    bool is_small; /* the choice is not worth the time: see pdp_plan_is_small */
    pdp_level level;
    pdp_stamp stamp;
    pdp_kernel kernel;  /* of an engine on the CPU */
    pdp_device *device; /* that runs the engine instead, and the kernels it has loaded */
    pdp_program *program;
    uint64_t device_memory; /* bytes of it that may be taken */
    int threads;
    uint64_t bytes;   /* 0: not counted yet */
    uint64_t allowed; /* or free, if there is no limit */
    struct {
        bool is_known;
        pdp_stamp stamp;
        pdp_error error;
    } typed;            /* what was found for the wish: see pdp_plan_choose_type */
    pdp_rates rates;    /* found when they are first needed */
    pdp_cost costs[12]; /* of all methods, the fastest first; none if the choice was not worth the time */
    size_t cost_count;
    char reasons[PDP_REASONS][240]; /* if it is to be explained: see pdp_plan_reason */
    char note[320];
    pdp_error error;
};

/* Of a method, a type or a backend. */
bool pdp_wish_is_auto(const char *wish);

/* Sets the stamp for a kernel on the CPU, as the options wish; the bounds that it goes by are found once, for they may
 * take as long as a solve. */
pdp_status pdp_plan_choose_type(pdp_plan *plan);

/* What the plain loops compute with. */
pdp_machine_type pdp_plan_plain_type(const pdp_problem *problem);

/* Terms in all: what the interpreter would take about 50 ns for. */
double pdp_problem_terms(const pdp_problem *problem);

/* The error is that of a problem: in a plan for several its number, from 1, is put before the text. */
pdp_status pdp_plan_name_problem(const pdp_plan *plan, size_t number, pdp_error *error);

/* Sets threads and bytes for the plan's method; at least, where its kernel is not open yet. */
void pdp_plan_measure(pdp_plan *plan);
bool pdp_plan_fits(const pdp_plan *plan); /* and may have as much */

/* The table of an engine, at least: a kernel may fill it up to whole vectors or tiles. */
uint64_t pdp_plan_least_table(const pdp_problem *problem, pdp_machine_type type);

/* One more thing that the user should know. */
__attribute__((format(printf, 2, 3))) void pdp_plan_add_note(pdp_plan *plan, const char *format, ...);

/* ---- The methods: methods.c ---- */

/* Of a shape, the last one without a name. */
const pdp_method *pdp_methods_of(pdp_shape shape);
const pdp_method *pdp_method_find(pdp_shape shape, const char *name); /* NULL if there is none */

/* Why a method cannot solve a problem, or NULL. */
const char *pdp_method_refuse(const pdp_plan *plan, const pdp_problem *problem, const pdp_method *method);

extern const pdp_shortcut pdp_method_settle; /* method_linear.c */
extern const pdp_shortcut pdp_method_runs;
double pdp_method_runs_near(const pdp_plan *plan, const pdp_problem *problem); /* of its operations: pdp_runs_near */
extern const pdp_shortcut pdp_method_series;                                   /* method_sums.c */
extern const pdp_shortcut pdp_method_bostan_mori;
extern const pdp_shortcut pdp_method_window; /* method_window.c */

/* Knuth's weights are interpreted before a compiler would be done. */
bool pdp_knuth_has_few(const pdp_plan *plan);

/* The run of bostan-mori: the value, its steps shown to whoever watches, or NULL. */
pdp_status pdp_plan_solve_far(const pdp_plan *plan, pdp_solution *solution, pdp_bostan_mori_watch *watch, void *context,
                              pdp_progress progress);

/* Chooses the type and opens the kernel; a note says why not, if it is not asked for and the interpreter can take over:
 * the type is then the interpreter's. */
pdp_status pdp_plan_open_kernel(pdp_plan *plan, bool is_asked_for);

/* ---- On the CPU: run.c ---- */

/* A problem that so many threads solve together. Others have one each. */
bool pdp_plan_is_large(const pdp_plan *plan, const pdp_problem *problem);

/* The table is not wanted, and not kept for what is read from it. */
bool pdp_plan_drops_table(const pdp_plan *plan);

pdp_tiles pdp_plan_tiles(const pdp_plan *plan, const pdp_problem *problem); /* without cells */
pdp_linear_job pdp_plan_linear_job(const pdp_plan *plan, const pdp_problem *problem, const pdp_data *data, int threads);

/* ---- Checking: certify.c ---- */

/* Options.decisions where nobody has asked for them but the check, which does without if they take long. */
enum { PDP_DECISIONS_TO_CHECK = 2 };

/* How long is long: for pdp_solution.patience. */
double pdp_certify_patience(const pdp_plan *plan, const pdp_problem *problem);

/* Checks a solution, as far as the plan's `verify` says. */
pdp_status pdp_plan_certify(const pdp_plan *plan, pdp_solution *solution);
uint64_t pdp_certify_bytes(const pdp_plan *plan, const pdp_problem *problem);

/* ---- On a device: device_plan.c ---- */

/* The device that the user wants, or a GPU that is worth its start; a note says why not. */
pdp_status pdp_plan_choose_device(pdp_plan *plan);
void pdp_plan_close_device(pdp_plan *plan);

/* Bytes here, while a device computes. */
uint64_t pdp_plan_device_bytes(const pdp_plan *plan, const pdp_problem *problem);

/* Solves all. Brings the solutions into another order. */
void pdp_plan_run_device(const pdp_plan *plan, pdp_solution **solutions, size_t count, pdp_progress progress);

/* A method of the paper. Leaves the table in the solution. */
pdp_status pdp_plan_run_paper(const pdp_plan *plan, pdp_solution *solution);

#endif
