#include "schedule/machine.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "problem/operator.h"
#include "schedule/checker.h"
#include "schedule/layout.h"

typedef struct machine {
    const pdp_problem *problem;
    const pdp_schedule *schedule;
    const pdp_watch *watch;
    pdp_round round;
    int64_t *narrow; /* matrix chain: the memory, and what the threads computed */
    pdp_wide *wide;  /* S-DP: the memory, wider than a final cell, and the two values each thread read */
    pdp_checker *checker;
    pdp_operation *operations; /* with on_step: the round as the listener sees it */
    uint64_t step;
    pdp_record *record;
    pdp_error *error;
} machine;

static size_t value_size(const pdp_problem *problem) {
    return problem->shape == PDP_LINEAR ? sizeof(pdp_wide) : sizeof(int64_t);
}

/* The memory, and behind it what the threads hold. */
static size_t value_count(const pdp_problem *problem, const pdp_schedule *schedule) {
    return schedule->addresses + (problem->shape == PDP_LINEAR ? 2 : 1) * schedule->threads;
}

uint64_t pdp_machine_bytes(const pdp_problem *problem, const pdp_schedule *schedule, const pdp_watch *watch) {
    uint64_t bytes = pdp_bytes_multiply(value_count(problem, schedule), value_size(problem));
    bytes = pdp_bytes_add(bytes, pdp_round_bytes(schedule->threads));
    if (watch->record) {
        bytes = pdp_bytes_add(bytes, pdp_checker_bytes(schedule->addresses, watch->width));
        if (watch->on_step) {
            bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(schedule->threads, sizeof(pdp_operation)));
        }
    }
    return bytes;
}

static pdp_status machine_create(machine *m) {
    const pdp_schedule *schedule = m->schedule;
    const pdp_watch *watch = m->watch;
    void *memory = pdp_array_allocate(value_count(m->problem, schedule), value_size(m->problem), m->error);
    if (m->problem->shape == PDP_LINEAR) {
        m->wide = memory;
    } else {
        m->narrow = memory;
    }
    if (!memory || pdp_round_create(&m->round, schedule->threads, m->error) != PDP_OK) {
        return m->error->status;
    }
    if (watch->record) {
        if (pdp_checker_create(&m->checker, schedule->addresses, schedule->cells, schedule->presets, watch->width,
                               watch->latency, m->error) != PDP_OK) {
            return m->error->status;
        }
        if (watch->on_step) {
            m->operations = pdp_array_allocate(schedule->threads, sizeof *m->operations, m->error);
            if (!m->operations) {
                return m->error->status;
            }
        }
    }
    return PDP_OK;
}

static void machine_free(machine *m) {
    free(m->narrow);
    free(m->wide);
    free(m->operations);
    pdp_round_free(&m->round);
    pdp_checker_free(m->checker);
}

/* ---- Running a round ---- */

/* Matrix chain: v = l + r + p[i]*p[k]*p[j] for all threads, then cell = v or min(cell, v). A merging round
 * has no left operand and takes the value of a scratch slot as v. */
static void run_round_mcm(machine *m) {
    const pdp_round *round = &m->round;
    const int64_t *p = m->problem->dims;
    int64_t *memory = m->narrow;
    int64_t *computed = memory + m->schedule->addresses;
    const size_t count = round->count;
    if (round->left_count == 0) {
        for (size_t t = 0; t < count; t++) {
            computed[t] = memory[round->right[t]];
        }
    } else {
        for (size_t t = 0; t < count; t++) {
            computed[t] =
                memory[round->left[t]] + memory[round->right[t]] + p[round->i[t]] * p[round->k[t]] * p[round->j[t]];
        }
    }
    for (size_t t = 0; t < count; t++) {
        int64_t *cell = &memory[round->target[t]];
        *cell = (round->flags[t] & PDP_STORES) != 0 || computed[t] < *cell ? computed[t] : *cell;
    }
}

static pdp_wide combine(const pdp_problem *problem, pdp_wide a, pdp_wide b) {
    return pdp_operator_apply(problem->op, problem->overflow, problem->modulus, a, b);
}

/* S-DP: all threads read their one or two operands, then cell = v or cell (x) v, and (x) w if there is a
 * second, in the order of the threads where several combine into one cell. */
static pdp_status run_round_sdp(machine *m) {
    const pdp_round *round = &m->round;
    const pdp_problem *problem = m->problem;
    pdp_wide *memory = m->wide;
    pdp_wide *first = memory + m->schedule->addresses;
    pdp_wide *second = first + m->schedule->threads;
    for (size_t t = 0; t < round->count; t++) {
        first[t] = memory[round->left[t]];
    }
    for (size_t t = 0; t < round->right_count; t++) {
        second[t] = memory[round->right[t]];
    }
    for (size_t t = 0; t < round->count; t++) {
        pdp_wide value = first[t];
        if ((round->flags[t] & PDP_STORES) == 0) {
            value = combine(problem, memory[round->target[t]], value);
        }
        memory[round->target[t]] = t < round->right_count ? combine(problem, value, second[t]) : value;
    }
    /* At most one cell is finished in a round of S-DP, and cells are finished in their order. */
    for (size_t t = 0; t < round->count; t++) {
        if ((round->flags[t] & PDP_FINISHES) != 0 && !pdp_wide_fits(memory[round->target[t]])) {
            return pdp_operator_fail_overflow(m->error, problem, round->target[t]);
        }
    }
    return PDP_OK;
}

/* ---- Watching it ---- */

/* After a substep has been checked, while the checker still knows of it. */
static void mark_operands(machine *m, const uint32_t *address, size_t count, uint32_t hazard, uint32_t conflict) {
    for (size_t t = 0; m->operations && t < count; t++) {
        uint32_t *flags = &m->operations[t].flags;
        *flags |= hazard != 0 && !pdp_checker_is_final(m->checker, address[t]) ? hazard : 0;
        *flags |= pdp_checker_is_shared(m->checker, address[t]) ? conflict : 0;
    }
}

static void check_round(machine *m) {
    const pdp_round *round = &m->round;
    const bool is_sdp = m->problem->shape == PDP_LINEAR;
    pdp_checker *checker = m->checker;
    for (size_t t = 0; m->operations && t < round->count; t++) {
        m->operations[t].flags = round->flags[t];
    }
    /* S-DP counts both its reads as one kind of substep; they are two all the same, one after the other. */
    pdp_checker_read(checker, 0, round->thread, round->left, round->left_count);
    mark_operands(m, round->left, round->left_count, PDP_LEFT_HAZARD, PDP_LEFT_CONFLICT);
    pdp_checker_read(checker, is_sdp ? 0 : 1, round->thread, round->right, round->right_count);
    mark_operands(m, round->right, round->right_count, PDP_RIGHT_HAZARD, PDP_RIGHT_CONFLICT);
    if (!is_sdp && round->left_count > 0) {
        pdp_checker_compute(checker);
    }
    pdp_checker_combine(checker, is_sdp ? 1 : 3, round->thread, round->target, round->count);
    mark_operands(m, round->target, round->count, 0, PDP_TARGET_CONFLICT);
    for (size_t t = 0; t < round->count; t++) {
        if ((round->flags[t] & PDP_FINISHES) != 0) {
            pdp_checker_finish(checker, round->target[t]);
        }
    }
    pdp_record *record = m->record;
    record->operations += round->count;
    record->threads = round->count > record->threads ? (uint32_t)round->count : record->threads;
}

/* Shows the round to the listener, in the paper's numbering. */
static pdp_status show_round(machine *m) {
    const pdp_round *round = &m->round;
    const bool is_sdp = m->problem->shape == PDP_LINEAR;
    const uint32_t base = is_sdp ? 0 : 1;
    for (size_t t = 0; t < round->count; t++) {
        pdp_operation *operation = &m->operations[t];
        operation->thread = round->thread[t] + 1;
        operation->target = round->target[t] + base;
        operation->operand[0] = t < round->left_count ? round->left[t] + base : PDP_NO_OPERAND;
        operation->operand[1] = t < round->right_count ? round->right[t] + base : PDP_NO_OPERAND;
        operation->value = is_sdp ? (int64_t)m->wide[round->target[t]] : m->narrow[round->target[t]];
    }
    pdp_step step = {m->step, (uint32_t)m->schedule->cells, m->operations, round->count};
    if (m->watch->on_step(m->watch->context, &step) != 0) {
        return pdp_error_set(m->error, PDP_CANCELLED, "cancelled by the step callback");
    }
    return PDP_OK;
}

/* ---- The whole run ---- */

static pdp_status run_rounds(machine *m, pdp_schedule *schedule, pdp_progress progress) {
    uint64_t done = 0;
    uint64_t told = 0;
    while (schedule->next(schedule, &m->round)) {
        m->step++;
        if (m->round.count == 0) {
            continue;
        }
        if (m->problem->shape == PDP_INTERVAL) {
            run_round_mcm(m);
        } else if (run_round_sdp(m) != PDP_OK) {
            return m->error->status;
        }
        if (m->checker) {
            check_round(m);
        }
        if (m->operations && show_round(m) != PDP_OK) {
            return m->error->status;
        }
        done += m->round.count;
        if (done - told >= (1 << 20)) {
            told = done;
            double share = (double)done / (double)schedule->operations;
            if (pdp_progress_tell(progress, share, m->error) != PDP_OK) {
                return m->error->status;
            }
        }
    }
    return PDP_OK;
}

/* From the linear array to the shape of the table. */
static void copy_table(const machine *m, int64_t *table) {
    const size_t n = m->problem->n;
    if (m->problem->shape == PDP_LINEAR) {
        for (size_t i = 0; i < n; i++) {
            table[i] = (int64_t)m->wide[i];
        }
        return;
    }
    for (size_t d = 0; d < n; d++) {
        for (size_t i = 0; i < n - d; i++) {
            table[i * (n + 1) + i + d + 1] = m->narrow[pdp_layout_address(n, d, i)];
        }
    }
}

static void fill_record(const machine *m) {
    pdp_record *record = m->record;
    pdp_checker_report(m->checker, record);
    record->substeps = m->problem->shape == PDP_LINEAR ? 2 : 4;
    record->steps = m->step;
    double slots = (double)record->threads * (double)record->steps;
    record->utilisation = slots > 0 ? (double)record->operations / slots : 0;
}

pdp_status pdp_machine_run(const pdp_problem *problem, pdp_schedule *schedule, int64_t *table, const pdp_watch *watch,
                           pdp_record *record, pdp_progress progress, pdp_error *error) {
    machine m = {.problem = problem, .schedule = schedule, .watch = watch, .record = record, .error = error};
    pdp_status status = machine_create(&m);
    if (status == PDP_OK) {
        for (size_t i = 0; problem->shape == PDP_LINEAR && i < schedule->presets; i++) {
            m.wide[i] = problem->presets[i];
        }
        status = run_rounds(&m, schedule, progress);
    }
    if (status == PDP_OK) {
        copy_table(&m, table);
        if (watch->record) {
            fill_record(&m);
        }
    }
    machine_free(&m);
    return status;
}

uint64_t pdp_mcm_cell_number(uint64_t n, uint64_t row, uint64_t column) {
    if (row < 1 || column < row || column > n) {
        return 0;
    }
    return pdp_layout_address(n, column - row, row - 1) + 1;
}

const char *pdp_substep_name(pdp_shape kind, uint32_t substep) {
    static const char *const sdp[] = {"read", "combine"};
    static const char *const mcm[] = {"left", "right", "compute", "combine"};
    if (kind == PDP_LINEAR) {
        return substep < 2 ? sdp[substep] : NULL;
    }
    return substep < 4 ? mcm[substep] : NULL;
}
