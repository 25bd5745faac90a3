/* pipedp: dynamic programming by pipelines.
 *
 * The road through this header is the road of the data:
 *
 *     recurrence  ──►  problem  ──►  plan  ──►  solution
 *     (.dp text,       (data,        (method,   (value, table,
 *      parsed)          checked)      type,      decisions, record)
 *                                     bytes)
 *
 *     int64_t dims[] = {30, 35, 15, 5, 10, 20, 25};
 *     pdp_problem *problem = NULL;
 *     pdp_plan *plan = NULL;
 *     pdp_solution *solution = NULL;
 *     if (pdp_problem_create_mcm(&problem, dims, 7) != PDP_OK)  puts(pdp_problem_error(problem));
 *     else if (pdp_plan_create(&plan, problem, NULL) != PDP_OK) puts(pdp_plan_error(plan));
 *     else if (pdp_plan_run(plan, &solution) != PDP_OK)         puts(pdp_solution_error(solution));
 *     else printf("%" PRId64 "\n", pdp_solution_value(solution)); // 15125
 *     pdp_solution_free(solution);
 *     pdp_plan_free(plan);
 *     pdp_problem_free(problem);
 *
 * Errors. A function that creates an object returns a status and always sets *out: on failure to an
 * object that holds nothing but the error text, which is freed like any other, or to NULL when there
 * was no memory even for that. Every _error function takes NULL, and returns "" after success. Every
 * _free function takes NULL. The other functions of a failed object, or of NULL, return 0, NULL or "",
 * or a status that is not PDP_OK. Pointers to anything else have to be valid, unless their count is 0 or
 * it is said that they may be NULL.
 *
 * Threads. The library keeps no global state, never prints and never exits. Different objects may be
 * used by different threads at once; one problem may serve many plans, and one plan many runs, at the
 * same time.
 */
#ifndef PIPEDP_H
#define PIPEDP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PDP_API __attribute__((visibility("default")))
#else
#define PDP_API
#endif

/* ---- Status ---------------------------------------------------------------------------------- */

typedef enum pdp_status {
    PDP_OK = 0,
    PDP_BAD_INPUT, /* the data or an option is not valid; the text names the value and its place */
    PDP_OVERFLOW,  /* a cell does not fit, went beyond 2^126 on its way, or is not a number; the text names the first */
    PDP_NO_MEMORY, /* more bytes needed than allowed or than there are */
    PDP_IO,        /* a file could not be written */
    PDP_CANCELLED, /* a callback asked to stop */
    PDP_DEVICE,    /* a device could not be used: there is none, or its driver refused; the text says what to do */
    PDP_WRONG      /* a check has found the answer wrong: the text says what does not fit */
} pdp_status;

/* The library's version, "1.2.3". */
PDP_API const char *pdp_version(void);

/* How the library was built, in words, for bug reports. */
PDP_API const char *pdp_build_description(void);

/* The x86-64 level of the processor this runs on ("x86-64-v3"), or the architecture's name. */
PDP_API const char *pdp_cpu_level(void);

/* Bytes of memory a plan may use by default: what the machine (or its control group) has free. */
PDP_API uint64_t pdp_memory_available(void);

/* ---- Recurrences ------------------------------------------------------------------------------ */

typedef enum pdp_shape {
    PDP_LINEAR,  /* ST[i] = source(i) (+) the terms of ST[i - offset] */
    PDP_INTERVAL /* M[i][j] = finish((+) over i<k<j of the terms of M[i][k] and M[k][j]) */
} pdp_shape;

typedef struct pdp_recurrence pdp_recurrence;

/* The text of a .dp file (docs/recurrences.md). PDP_BAD_INPUT with line, column and a caret in the error's text. */
PDP_API pdp_status pdp_recurrence_parse(pdp_recurrence **out, const char *text, size_t length);

/* A built-in one, "mcm". PDP_BAD_INPUT if there is none of that name. */
PDP_API pdp_status pdp_recurrence_load(pdp_recurrence **out, const char *name);

PDP_API const char *pdp_recurrence_error(const pdp_recurrence *recurrence);
PDP_API void pdp_recurrence_free(pdp_recurrence *recurrence);
PDP_API const char *pdp_recurrence_name(const pdp_recurrence *recurrence);
PDP_API pdp_shape pdp_recurrence_shape(const pdp_recurrence *recurrence);

/* The recurrence in normal form, every `let` put in its place; and the C that it becomes, for values of a type ("i32",
 * "i64", "f32", "f64", or NULL for the file's own; "checked" for 128 bits). The caller frees them; NULL without memory,
 * and for a type that does not fit. */
PDP_API char *pdp_recurrence_print(const pdp_recurrence *recurrence);
PDP_API char *pdp_recurrence_emit(const pdp_recurrence *recurrence, const char *type);

/* The built-in ones by index from 0, NULL at the end: name, and the whole text, which begins with a comment that says
 * what it is. */
PDP_API const char *pdp_builtin_name(size_t index);
PDP_API const char *pdp_builtin_text(size_t index);

/* What a recurrence wants to be given. */
typedef struct pdp_field {
    const char *name;
    int is_param;         /* a number alone; otherwise an input */
    int is_operator;      /* a parameter that is an operator's name */
    int is_real;          /* floats; whole numbers otherwise */
    int is_optional;      /* has a default, or may be left out */
    int axes;             /* of an input: 1 or 2 */
    const char *alphabet; /* of an input that is a text, or NULL */
} pdp_field;

/* Field `index` from 0: parameters, then inputs. 0 when there are no more. */
PDP_API int pdp_recurrence_field(const pdp_recurrence *recurrence, size_t index, pdp_field *out);

/* ---- Problems -------------------------------------------------------------------------------- */

typedef enum pdp_operator {
    PDP_MIN,
    PDP_MAX,
    PDP_ADD,
    PDP_MUL,
    PDP_AND,
    PDP_OR,
    PDP_XOR,
    PDP_GCD /* of absolute values */
} pdp_operator;

/* What add and mul do with a value beyond int64. The other operators take PDP_OVERFLOW_ERROR alone. */
typedef enum pdp_overflow {
    PDP_OVERFLOW_ERROR, /* stop and name the first cell whose own value does not fit */
    PDP_OVERFLOW_WRAP,  /* modulo 2^64, two's complement */
    PDP_OVERFLOW_MOD    /* modulo `modulus`; presets are reduced first, cells are 0 .. modulus-1 */
} pdp_overflow;

/* An S-DP problem: cells 0 .. n-1, of which the first offsets[0] are preset. */
typedef struct pdp_sdp {
    size_t n;
    const int64_t *offsets; /* strictly decreasing, all positive, offsets[0] <= n */
    size_t offset_count;
    const int64_t *presets;
    size_t preset_count; /* must be offsets[0] */
    pdp_operator op;
    pdp_overflow overflow;
    int64_t modulus; /* for PDP_OVERFLOW_MOD, at least 2 */
} pdp_sdp;

typedef struct pdp_problem pdp_problem;

/* A problem without its data, which is set field by field. */
PDP_API pdp_status pdp_problem_create(pdp_problem **out, const pdp_recurrence *recurrence);

/* Sets an input or a parameter (count 1) by its name; the data is copied. `columns` is 0 for a list of `rows` items.
 * Whole numbers are taken where floats are wanted. Text is for inputs with an alphabet, and for operators.
 * PDP_BAD_INPUT names the field and the item. What only the whole shows (lengths, ranges) is checked by
 * pdp_problem_check, which plans call too. While there is a plan or a solution of the problem, which read its data,
 * nothing can be set. After a failure only pdp_problem_error and _free make sense. */
PDP_API pdp_status pdp_problem_set_whole(pdp_problem *problem, const char *name, const int64_t *data, size_t rows,
                                         size_t columns);
PDP_API pdp_status pdp_problem_set_real(pdp_problem *problem, const char *name, const double *data, size_t rows,
                                        size_t columns);
PDP_API pdp_status pdp_problem_set_text(pdp_problem *problem, const char *name, const char *text, size_t length);
PDP_API pdp_status pdp_problem_check(pdp_problem *problem);

/* Checks and copies the data. PDP_BAD_INPUT or PDP_NO_MEMORY on failure. */
PDP_API pdp_status pdp_problem_create_sdp(pdp_problem **out, const pdp_sdp *sdp);

/* A chain of count-1 matrices, matrix m (from 1) of dims[m-1] rows and dims[m] columns, all at least
 * 1. */
PDP_API pdp_status pdp_problem_create_mcm(pdp_problem **out, const int64_t *dims, size_t count);

PDP_API const char *pdp_problem_error(const pdp_problem *problem);
PDP_API void pdp_problem_free(pdp_problem *problem);

/* What it is made of. A field is counted as pdp_recurrence_field does; 0 if there is no such field, or it was not
 * given. Everything lives as long as the problem, and until the field is set again. */
typedef struct pdp_field_data {
    const int64_t *whole; /* also letters, as numbers; or NULL */
    const double *real;   /* or NULL */
    const char *name;     /* of an operator; or NULL */
    size_t rows;          /* 1 for a parameter */
    size_t columns;       /* 0: a list */
} pdp_field_data;
PDP_API const pdp_recurrence *pdp_problem_recurrence(const pdp_problem *problem);
PDP_API int pdp_problem_field(const pdp_problem *problem, size_t index, pdp_field_data *out);

/* An operator's name ("min"), and the operator of a name: PDP_BAD_INPUT if there is none. */
PDP_API const char *pdp_operator_name(pdp_operator op);
PDP_API pdp_status pdp_operator_find(pdp_operator *out, const char *name);

/* ---- Devices ---------------------------------------------------------------------------------- */

/* A GPU, or what runs kernels like one. A plan opens one for itself where it needs one; who makes many plans opens it
 * once and hands it to all of them, also from several threads, which then take turns. */
typedef struct pdp_device pdp_device;

/* "cuda", "opencl", or "host": the same kernels on fibres of this process, which is for testing them. PDP_DEVICE if
 * there is none, or it cannot be used. */
PDP_API pdp_status pdp_device_open(pdp_device **out, const char *backend);
PDP_API const char *pdp_device_error(const pdp_device *device);
PDP_API void pdp_device_free(pdp_device *device); /* after the plans that use it */
PDP_API const char *pdp_device_backend(const pdp_device *device);
PDP_API const char *pdp_device_name(const pdp_device *device);
PDP_API const char *pdp_device_driver(const pdp_device *device); /* its version */
PDP_API int pdp_device_capability(const pdp_device *device);     /* 90 for 9.0; 0 where there is no such thing */
PDP_API int pdp_device_units(const pdp_device *device);          /* multiprocessors */
PDP_API uint64_t pdp_device_memory(const pdp_device *device);    /* bytes in all */
PDP_API uint64_t pdp_device_memory_free(pdp_device *device);     /* bytes that are free now */

/* ---- Rates ------------------------------------------------------------------------------------ */

/* What this machine does how often in a second, by which plans predict the times of methods: built in, or measured by
 * `pipedp tune`, which keeps them in the cache folder ($XDG_CACHE_HOME/pipedp, else $HOME/.cache/pipedp) for this
 * processor and this version. */
typedef struct pdp_rates pdp_rates;

/* Those that plans take; or the ones that are built in, whatever was measured. */
PDP_API pdp_status pdp_rates_create(pdp_rates **out, int built_in);
PDP_API const char *pdp_rates_name(size_t index); /* "settle"; by index from 0, NULL at the end */
PDP_API double pdp_rates_get(const pdp_rates *rates, size_t index);
PDP_API pdp_status pdp_rates_set(pdp_rates *rates, size_t index, double per_second);
PDP_API int pdp_rates_are_measured(const pdp_rates *rates);
PDP_API pdp_status pdp_rates_save(pdp_rates *rates); /* for all plans to come. PDP_IO on failure */
PDP_API const char *pdp_rates_error(const pdp_rates *rates);
PDP_API void pdp_rates_free(pdp_rates *rates);

/* ---- Plans ----------------------------------------------------------------------------------- */

/* What one thread does in one step of the step-exact machine, in the paper's numbering: S-DP cells
 * count from 0, matrix-chain cells and all threads from 1. Numbers of pdp_step.cells and beyond
 * (S-DP), or above it (matrix chain), are scratch slots of the tournament. */
enum {
    PDP_STORES = 1u << 0,         /* overwrites the target; otherwise combines into it */
    PDP_FINISHES = 1u << 1,       /* the target is final from the next step on */
    PDP_LEFT_HAZARD = 1u << 2,    /* operand[0] is a table cell that is not final */
    PDP_RIGHT_HAZARD = 1u << 3,   /* the same of operand[1] */
    PDP_LEFT_CONFLICT = 1u << 4,  /* another thread reads operand[0] in the same substep */
    PDP_RIGHT_CONFLICT = 1u << 5, /* the same of operand[1] */
    PDP_TARGET_CONFLICT = 1u << 6 /* another thread combines into the target in the same substep */
};
#define PDP_NO_OPERAND UINT32_MAX

typedef struct pdp_operation {
    uint32_t thread;
    uint32_t target;
    uint32_t operand[2]; /* matrix chain: left and right; S-DP: [0], and in the 2-by-2 pipeline [1];
                          * PDP_NO_OPERAND where there is none */
    uint32_t flags;      /* PDP_STORES and the like */
    int64_t value;       /* of the target after this operation, modulo 2^64 */
} pdp_operation;

typedef struct pdp_step {
    uint64_t number; /* from 1; a step in which nobody works is not reported */
    uint32_t cells;  /* of the table */
    const pdp_operation *operations;
    size_t count;
} pdp_step;

/* Called after each step of a recorded run; a result other than 0 cancels it (PDP_CANCELLED). */
typedef int pdp_step_function(void *context, const pdp_step *step);

/* Called now and then with the share of the work done, 0 to 1; other than 0 cancels. For a batch the share is that of
 * the whole, and the calls come from any of its threads, one at a time. */
typedef int pdp_progress_function(void *context, double share);

typedef struct pdp_options {
    size_t struct_size;                 /* sizeof(pdp_options): lets the struct grow */
    const char *algorithm;              /* a method's name, or NULL for "auto" */
    uint64_t memory_limit;              /* bytes a run may take; 0: pdp_memory_available() */
    int splits;                         /* matrix chain: keep the table of decisions too (a second pass) */
    int record;                         /* run on the step-exact machine and record every access; an engine on a
                                         * device: who reads what when, which fails if it is not final */
    uint32_t width;                     /* record: threads of a warp = memory banks, 1 to 1024 */
    uint32_t latency;                   /* record: slots until a memory request is answered, at least 1 */
    pdp_step_function *on_step;         /* record: may be NULL */
    pdp_progress_function *on_progress; /* may be NULL */
    void *context;                      /* for the two callbacks */
    const char *type;                   /* "i32", "i64", "f32", "f64", or NULL for "auto" */
    int threads;                        /* 0: as many as this process may use */
    int table;                          /* 0: the table is not wanted, only value and decisions */
    int decisions;                      /* 0: they are not wanted */
    int compile;            /* 0: a recurrence that is not built in is interpreted; 2: kernels for a device are
                             * the fastest at once, also for little work that others would be ready for
                             * sooner */
    const char *backend;    /* "cpu", "cuda", "opencl", "host", or NULL for "auto" */
    pdp_device *device;     /* opened by the caller, for its backend; NULL: the plan opens one */
    uint64_t device_memory; /* bytes of the device a run may take; 0: what is free there */
    int resident;           /* the paper's methods on a device: all steps in one launch, not one each */
    int64_t at;             /* linear: the cell whose value is wanted; those after it are not computed. -1: the last.
                             * `bostan-mori` goes beyond the last cell too */
    uint64_t last_cells;    /* linear, without a table: how many of the last cells are wanted nevertheless; `window`
                             * keeps as many as the next one would read, at least */
    int verify;             /* 1: the answer is checked, for about a third of the time more at most; 2: and by a second
                             * method, however long that takes. See pdp_solution_certificate */
    int explain;            /* look at all methods, for pdp_plan_candidate and pdp_plan_reason */
    const pdp_rates *rates; /* that the methods' times are predicted with; NULL: those of this machine */
} pdp_options;

#define PDP_OPTIONS_DEFAULT                                                                                            \
    {                                                                                                                  \
        sizeof(pdp_options), NULL, 0, 0, 0, 32, 1, NULL, NULL, NULL, NULL, 0, 1, 1, 1, NULL, NULL, 0, 0, -1, 0, 0, 0,  \
            NULL                                                                                                       \
    }

typedef struct pdp_plan pdp_plan;

/* Picks the method and counts the bytes; solves nothing. `options` may be NULL for the defaults. The
 * problem may be freed before the plan. PDP_BAD_INPUT for an unknown method or option value, PDP_NO_MEMORY
 * when the run would take more than the limit. "auto" is the method that is predicted to be the fastest, of those that
 * are guaranteed to be right and whose result is all that is asked for: `hu-shing`, `bostan-mori` and `window` are for
 * plans without `table`, `window` for those without decisions too, `pipeline` for a recorded run. `knuth` is for
 * recurrences that say `monotone`, if the data keeps to it, which is checked here (the progress callback hears of that
 * as 0; PDP_CANCELLED if it stops). Where there are few terms no time is lost with that: it is the engine, `tiles` or
 * `blocks`. */
PDP_API pdp_status pdp_plan_create(pdp_plan **out, const pdp_problem *problem, const pdp_options *options);

/* A plan for many problems of one kind, which are solved side by side: on a CPU a thread each (all threads together on
 * one that is large), on a device all at once, as many as its memory has room for (linear ones one after the other).
 * They are of the same recurrence, operator and element type, of whatever sizes; method and
 * type are fit for all of them, and each gets what it gets alone. Errors name the problem's number, counted from 1.
 * Not for what the step-exact machine runs. */
PDP_API pdp_status pdp_plan_batch(pdp_plan **out, pdp_problem *const *problems, size_t count,
                                  const pdp_options *options);

PDP_API size_t pdp_plan_count(const pdp_plan *plan);          /* problems */
PDP_API const char *pdp_plan_algorithm(const pdp_plan *plan); /* the method picked */
PDP_API const char *pdp_plan_type(const pdp_plan *plan);      /* "i32", ..., "checked", "mod", "bits" */
PDP_API const char *pdp_plan_note(const pdp_plan *plan);      /* what the user should know ("" for nothing) */
PDP_API int pdp_plan_threads(const pdp_plan *plan);
PDP_API const char *pdp_plan_backend(const pdp_plan *plan); /* "cpu", "cuda", ..., or "machine": step-exact */
PDP_API int pdp_plan_guaranteed(const pdp_plan *plan);      /* 0: kept for study, may be wrong */
PDP_API uint64_t pdp_plan_bytes(const pdp_plan *plan);      /* what a run allocates at its peak */
PDP_API const char *pdp_plan_error(const pdp_plan *plan);
PDP_API void pdp_plan_free(pdp_plan *plan);

/* A method that was looked at for "auto". */
typedef struct pdp_candidate {
    const char *algorithm;
    const char *backend; /* "cpu" or "cuda" */
    int refused;         /* it is none, for the reason given */
    int chosen;
    double seconds; /* predicted; 0 if it is refused */
    double operations;
    int rate;           /* of these: an index for pdp_rates_get */
    uint64_t bytes;     /* at least */
    const char *reason; /* why it is refused, or what else its time is made of; or "" */
} pdp_candidate;

/* Candidate `index` from 0: the fastest first (one that leaves little to check, where that is asked for, counts as a
 * little slower), then those that are refused. 0 when there are no more. A plan with few terms, or for a method by
 * name, has some only if its option `explain` was set. */
PDP_API int pdp_plan_candidate(const pdp_plan *plan, size_t index, pdp_candidate *out);

/* Why the plan is as it is, in words, if its option `explain` was set: reason `index` from 0, and what it is about
 * ("choice", "type", "size", "memory", "device"); NULL at the end. */
PDP_API const char *pdp_plan_reason(const pdp_plan *plan, size_t index, const char **about);

/* Names of the methods for a kind of problem, by index from 0, the reference first; NULL at the end. */
PDP_API const char *pdp_algorithm_name(pdp_shape kind, size_t index);

/* ---- Solutions ------------------------------------------------------------------------------- */

typedef struct pdp_solution pdp_solution;

/* Solves. PDP_OVERFLOW, PDP_NO_MEMORY or PDP_CANCELLED on failure. */
PDP_API pdp_status pdp_plan_run(const pdp_plan *plan, pdp_solution **out);

/* Solves all problems of a plan; out[0], out[1], ... are set to a solution each, as many as pdp_plan_count says. A
 * problem that fails, by an overflow say, has its error in its solution, and the others are solved; returns the status
 * of the first that failed. */
PDP_API pdp_status pdp_plan_run_batch(const pdp_plan *plan, pdp_solution **out);

PDP_API const char *pdp_solution_error(const pdp_solution *solution);
PDP_API void pdp_solution_free(pdp_solution *solution);

/* The last cell of a linear table, or the one that is asked for by `at`; M[0][n] of an interval one: whole, or a float
 * (then pdp_solution_is_real). */
PDP_API int64_t pdp_solution_value(const pdp_solution *solution);
PDP_API double pdp_solution_real_value(const pdp_solution *solution);
PDP_API int pdp_solution_is_real(const pdp_solution *solution);

/* 0: there is no way (to pay the amount, to derive the word): the value is the operator's identity. */
PDP_API int pdp_solution_feasible(const pdp_solution *solution);

/* Where it was computed, and what the user should know of it ("" for nothing): under backend "auto" the CPU takes over
 * from a device that fails. */
PDP_API const char *pdp_solution_backend(const pdp_solution *solution);
PDP_API const char *pdp_solution_note(const pdp_solution *solution);

/* What is known of the answer besides that it was computed. Checks are done by code that shares nothing with the
 * engines, in exact numbers where they are whole; one that fails makes the run fail, with PDP_WRONG. */
typedef enum pdp_certificate {
    PDP_UNCHECKED, /* nothing: it was not asked for, or there is nothing to look at */
    PDP_WITNESS,  /* min and max: the decisions come to the value, so nothing is claimed that cannot be done; that there
                   * is nothing better is not known. Otherwise, where there is no way, and where decisions that were not
                   * asked for take long to find: cells of the table are what their terms come to, all of them or some,
                   * or, of one cell without a table, the steps to it are right at a random point; as the text says */
    PDP_CERTIFIED /* and another method comes to the same value. A matrix chain gets this from verify = 1 on: by Hu and
                   * Shing's method or, if that is what solved it, by a proof from what that method has found that no
                   * order costs less. So does one cell of a sum by `bostan-mori`, whose offsets are 48 at most and
                   * whose source does not change behind the presets: by powers of x */
} pdp_certificate;

/* *text, unless `text` is NULL, is what was checked, in words; it lives as long as the solution. */
PDP_API pdp_certificate pdp_solution_certificate(const pdp_solution *solution, const char **text);
PDP_API const char *pdp_certificate_name(pdp_certificate certificate);    /* "unchecked", "witness", "certified" */
PDP_API double pdp_solution_verify_seconds(const pdp_solution *solution); /* that the checks took */

/* Seconds the solve took; and of these, what the device itself was busy (0 without one). Of problems that a device
 * solves side by side each has its share. */
PDP_API double pdp_solution_seconds(const pdp_solution *solution);
PDP_API double pdp_solution_device_seconds(const pdp_solution *solution);

/* One row of the table, into `columns` cells: a linear table is row 0; an interval table of points 0 .. n has n+1 rows
 * of n+1 columns, T[i][j] for i < j, 0 elsewhere. Infeasible cells are INT64_MAX under min, INT64_MIN under max,
 * infinite as floats. PDP_BAD_INPUT when there is no table or no such row, or when it is of the other kind of number.
 */
PDP_API pdp_status pdp_solution_row(const pdp_solution *solution, size_t row, int64_t *cells, size_t columns);
PDP_API pdp_status pdp_solution_real_row(const pdp_solution *solution, size_t row, double *cells, size_t columns);

/* The same for a part of a row: `count` cells from column `first` on. `window` has the last ones alone. */
PDP_API pdp_status pdp_solution_cells(const pdp_solution *solution, size_t row, size_t first, int64_t *cells,
                                      size_t count);
PDP_API pdp_status pdp_solution_real_cells(const pdp_solution *solution, size_t row, size_t first, double *cells,
                                           size_t count);

/* Whether a cell of the table has a value: 0 if there is no way to it, or no such cell. */
PDP_API int pdp_solution_cell_feasible(const pdp_solution *solution, size_t row, size_t column);

/* The whole table of whole numbers, row by row, in that shape. NULL when there is none or no memory. It lives as long
 * as the solution; `rows` and `columns` may be NULL. The first call may have to unpack it: not for two threads at once.
 */
PDP_API const int64_t *pdp_solution_table(const pdp_solution *solution, size_t *rows, size_t *columns);

/* Matrix chain: the decisions in the shape of the table: the vertex k at which (i,j) is split, the
 * smallest of equally good ones, 0 where there is none. NULL unless the plan's `splits` was set. */
PDP_API const int64_t *pdp_solution_splits(const pdp_solution *solution);

/* The decisions behind the value, for operators that choose (min, max), ties to the smallest k or the first offset, but
 * of a chain by hu-shing, whose order is one of the cheapest.
 * Interval: the nodes of the tree in pre-order, cells without a decision (leaves) left out. Linear: the steps from the
 * last cell back to one that needs none. */
typedef enum pdp_decision_kind {
    PDP_SPLIT,  /* M[i][j] comes from M[i][k] and M[k][j] */
    PDP_OPTION, /* M[i][j] comes from option number k, counted from 0, and so from M[i+1][j-1] */
    PDP_STEP    /* ST[i] comes from ST[j] by offset number k, counted from 0 */
} pdp_decision_kind;

typedef struct pdp_decision {
    pdp_decision_kind kind;
    size_t i;
    size_t k;
    size_t j;
} pdp_decision;

/* NULL, and a count of 0, when there are none. They live as long as the solution. */
PDP_API const pdp_decision *pdp_solution_decisions(const pdp_solution *solution, size_t *count);

/* An answer from elsewhere. */
typedef struct pdp_claim {
    size_t struct_size;            /* sizeof(pdp_claim) */
    int feasible;                  /* 0: it is that there is no way */
    int64_t value;                 /* of whole numbers ... */
    double real_value;             /* ... and of floats */
    const pdp_decision *decisions; /* or NULL */
    size_t decision_count;
} pdp_claim;

/* Checks an answer to the plan's problem as its own is checked, with at least verify = 1; where there are no decisions
 * to look at, it is solved, and the values are compared. *out has value, decisions and certificate. PDP_WRONG if the
 * claim does not hold. */
PDP_API pdp_status pdp_plan_verify(const pdp_plan *plan, const pdp_claim *claim, pdp_solution **out);

/* The decisions in the words of the recurrence's `report` clause. The caller frees it; NULL when there is none. */
PDP_API char *pdp_solution_report(const pdp_solution *solution);

/* Matrix chain: the best order as text, "((A1(A2A3))((A4A5)A6))", as the table has it: of a method that
 * is not guaranteed, its cost need not be the value. The caller frees it with free().
 * NULL when there is no memory for it, for another kind of problem, and after a failed run. */
PDP_API char *pdp_solution_order(const pdp_solution *solution);

/* ---- The record of a run on the step-exact machine ------------------------------------------- */

/* Of an engine on a device, a step is the start of a piece of work on a tile or a block, cells are tiles or blocks,
 * threads are groups of threads, and there are no costs. */

#define PDP_MAX_SUBSTEPS 4

typedef struct pdp_record {
    uint64_t steps;
    uint64_t operations;                  /* threads active, summed over the steps */
    uint32_t threads;                     /* most active at once */
    double utilisation;                   /* operations / (threads * steps) */
    uint64_t hazards;                     /* reads of a cell that is not final */
    uint32_t substeps;                    /* S-DP 2: read, combine; matrix chain 4: left, right, compute, combine */
    uint64_t conflicts[PDP_MAX_SUBSTEPS]; /* threads beyond the first on one address */
    uint32_t max_multiplicity[PDP_MAX_SUBSTEPS]; /* most threads on one address */
    uint64_t cost_serial;                        /* the paper's model: one address serves one thread at a time */
    uint64_t cost_dmm;                           /* discrete memory machine: a warp waits for its busiest bank */
    uint64_t cost_umm; /* unified memory machine: a warp takes a slot for each address group */
} pdp_record;

/* NULL unless the plan's `record` was set. It lives as long as the solution. */
PDP_API const pdp_record *pdp_solution_record(const pdp_solution *solution);

/* "read", "combine", ... of a substep from 0, or NULL. */
PDP_API const char *pdp_substep_name(pdp_shape kind, uint32_t substep);

/* ---- Measuring -------------------------------------------------------------------------------- */

/* How many terms a run of the plan combines, for all its problems. */
PDP_API double pdp_plan_updates(const pdp_plan *plan);

/* The inner update of a plan's recurrence alone, compiled from the same text for the same type and processor, on sums
 * in registers: as fast as any method that does these updates can be on one core. */
typedef struct pdp_ceiling pdp_ceiling;

/* The plan must outlive it. PDP_BAD_INPUT if the plan's method has no kernel, PDP_IO without a C compiler. */
PDP_API pdp_status pdp_ceiling_create(pdp_ceiling **out, const pdp_plan *plan);
PDP_API const char *pdp_ceiling_error(const pdp_ceiling *ceiling);
PDP_API void pdp_ceiling_free(pdp_ceiling *ceiling);

/* The register blocks that can be tried, by index from 0; NULL at the end. */
PDP_API const char *pdp_ceiling_shape(const pdp_ceiling *ceiling, size_t shape);

/* Runs one for so many rounds, some hundreds of updates each. Returns how many updates that were. */
PDP_API double pdp_ceiling_run(pdp_ceiling *ceiling, size_t shape, uint64_t rounds);

/* Updates a cycle that the vector pipes of the processor allow, and what is assumed of them. 0 and "" if not known. */
PDP_API double pdp_ceiling_port_bound(const pdp_ceiling *ceiling, const char **assumed);

/* The same on a device: sums in the registers of all its threads. The plan has to run on one, and must
 * outlive this. */
typedef struct pdp_device_ceiling pdp_device_ceiling;
PDP_API pdp_status pdp_device_ceiling_create(pdp_device_ceiling **out, const pdp_plan *plan);
PDP_API const char *pdp_device_ceiling_error(const pdp_device_ceiling *ceiling);
PDP_API void pdp_device_ceiling_free(pdp_device_ceiling *ceiling);
PDP_API const char *pdp_device_ceiling_shape(const pdp_device_ceiling *ceiling, size_t shape);

/* Measures one, with every number of groups that run at once; takes some milliseconds. Returns the most updates a
 * second by the device's clock, 0 on failure. */
PDP_API double pdp_device_ceiling_measure(pdp_device_ceiling *ceiling, size_t shape);

/* Updates a second that the pipes of all multiprocessors allow at the clock of the fastest measurement, and what is
 * assumed of them. 0 and "" if not known. */
PDP_API double pdp_device_ceiling_pipe_bound(const pdp_device_ceiling *ceiling, const char **assumed);

/* C source compiled at -O3 with further flags separated by blanks ("-march=native") and loaded. It runs with all rights
 * of the process: not for text from elsewhere. PDP_IO without a C compiler or with the compiler's first words. */
typedef struct pdp_code pdp_code;
PDP_API pdp_status pdp_code_compile(pdp_code **out, const char *source, const char *flags);
typedef void pdp_function(void);                                             /* to be converted to its own type */
PDP_API pdp_function *pdp_code_find(const pdp_code *code, const char *name); /* NULL if there is none */
PDP_API const char *pdp_code_error(const pdp_code *code);
PDP_API void pdp_code_free(pdp_code *code);

/* ---- The matrix-chain table as the paper numbers it ------------------------------------------- */

/* The number (from 1) of the cell of matrices row .. column (from 1) among n: diagonal by diagonal.
 * 0 when there is no such cell. */
PDP_API uint64_t pdp_mcm_cell_number(uint64_t n, uint64_t row, uint64_t column);

/* ---- Numbers, files and chance ---------------------------------------------------------------- */

typedef struct pdp_numbers pdp_numbers;

/* Whole numbers of int64, separated by white space or single commas. The error text names the item,
 * counted from 1, and where it stands. */
PDP_API pdp_status pdp_numbers_parse(pdp_numbers **out, const char *text, size_t length);

/* The same from a file, "-" for standard input: text, or a one-dimensional little-endian int64 .npy. */
PDP_API pdp_status pdp_numbers_read(pdp_numbers **out, const char *path);

/* The same for other forms of numbers, or both together. */
enum {
    PDP_REALS = 1u << 0, /* floats: decimal text ("-1.5e3"), or a float64, float32 or int64 .npy */
    PDP_MATRIX = 1u << 1 /* rows of one length, each on its line or ended by ';', or a two-dimensional .npy */
};
PDP_API pdp_status pdp_numbers_parse_as(pdp_numbers **out, const char *text, size_t length, unsigned form);
PDP_API pdp_status pdp_numbers_read_as(pdp_numbers **out, const char *path, unsigned form);

PDP_API const int64_t *pdp_numbers_data(const pdp_numbers *numbers); /* NULL under PDP_REALS, and when there are none */
PDP_API const double *pdp_numbers_reals(const pdp_numbers *numbers); /* NULL otherwise */
PDP_API size_t pdp_numbers_count(const pdp_numbers *numbers);        /* of all rows together */
PDP_API size_t pdp_numbers_columns(const pdp_numbers *numbers);      /* of a matrix; 0 for a list */
PDP_API const char *pdp_numbers_error(const pdp_numbers *numbers);
PDP_API void pdp_numbers_free(pdp_numbers *numbers);

/* A file that appears whole or not at all: what is written goes to a temporary name beside it, and
 * takes the place of an older file only at the commit. A device, a pipe, and whatever standard output
 * or standard error lead to, is written directly. */
typedef struct pdp_file pdp_file;
PDP_API pdp_status pdp_file_create(pdp_file **out, const char *path); /* PDP_IO on failure */
PDP_API FILE *pdp_file_stream(pdp_file *file);
/* Brings everything to the disk and closes the stream, so that of several files none takes its place
 * before all are whole. Optional; PDP_IO on failure. */
PDP_API pdp_status pdp_file_finish(pdp_file *file);
PDP_API pdp_status pdp_file_commit(pdp_file *file); /* PDP_IO on failure: the older file survives */
PDP_API const char *pdp_file_error(const pdp_file *file);
PDP_API void pdp_file_free(pdp_file *file); /* without a commit, leaves nothing behind */

/* Writes a table as .npy (version 1.0, '<i8', C order): one dimension if rows is 0. PDP_IO on failure. */
PDP_API pdp_status pdp_npy_write(FILE *stream, const int64_t *data, size_t rows, size_t columns);

/* The same in parts, so that a table need not be in memory whole: the header, and then the items, row by row, as many
 * calls as one likes. Items are int64_t, or double for both kinds of floats. PDP_BAD_INPUT for an unknown type. */
typedef enum pdp_npy_type { PDP_NPY_I8, PDP_NPY_F8, PDP_NPY_F4 } pdp_npy_type;
PDP_API pdp_status pdp_npy_begin(FILE *stream, pdp_npy_type type, size_t rows, size_t columns);
PDP_API pdp_status pdp_npy_append(FILE *stream, pdp_npy_type type, const void *items, size_t count);

/* Cells of a linear problem, points of an interval one (the rows and columns of its table); 0 before the check. */
PDP_API size_t pdp_problem_size(const pdp_problem *problem);

/* "parens", "brackets", "tree" or "items", as the `report` clause has it; "" without one. */
PDP_API const char *pdp_recurrence_report(const pdp_recurrence *recurrence);

/* The project's random numbers: SplitMix64. A seed is the first state; the same on every machine. */
PDP_API uint64_t pdp_random_next(uint64_t *state);

/* Uniform in low .. high, both included (low <= high): the high 64 bits of the 128-bit product of a
 * draw and the range's size, redrawn while the low 64 bits are below (2^64 mod size). */
PDP_API int64_t pdp_random_between(uint64_t *state, int64_t low, int64_t high);

#ifdef __cplusplus
}
#endif

#endif
