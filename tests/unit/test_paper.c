/* The paper's figures and examples by hand, and the smallest chains on which its matrix-chain pipeline,
 * run as printed, is wrong. docs/paper.md quotes the numbers asserted here. */
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Every operation of a run, with its step. */
enum { MOST_OPERATIONS = 400 };

typedef struct script {
    size_t count;
    struct {
        uint64_t step;
        pdp_operation operation;
    } line[MOST_OPERATIONS];
} script;

static int write_down(void *context, const pdp_step *step) {
    script *s = context;
    for (size_t t = 0; t < step->count; t++) {
        assert_true(s->count < MOST_OPERATIONS);
        s->line[s->count].step = step->number;
        s->line[s->count++].operation = step->operations[t];
    }
    return 0;
}

static const script *run_script(pdp_problem *problem, const char *algorithm) {
    static script s;
    s.count = 0;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.record = 1;
    options.on_step = write_down;
    options.context = &s;
    pdp_solution_free(solve(problem, algorithm, &options));
    pdp_problem_free(problem);
    return &s;
}

/* The next line is: in this step this thread takes these operands into this cell, with these flags. */
static void assert_line2(const script *s, size_t *at, uint64_t step, uint32_t thread, uint32_t target,
                         const uint32_t operands[2], uint32_t flags, int64_t value) {
    assert_true(*at < s->count);
    const pdp_operation *o = &s->line[*at].operation;
    assert_int_equal(s->line[*at].step, step);
    assert_int_equal(o->thread, thread);
    assert_int_equal(o->target, target);
    assert_int_equal(o->operand[0], operands[0]);
    assert_int_equal(o->operand[1], operands[1]);
    assert_int_equal(o->flags, flags);
    assert_true(o->value == value);
    ++*at;
}

static void assert_line(const script *s, size_t *at, uint64_t step, uint32_t thread, uint32_t target, uint32_t operand,
                        uint32_t flags, int64_t value) {
    assert_line2(s, at, step, thread, target, (uint32_t[]){operand, PDP_NO_OPERAND}, flags, value);
}

/* Figure 3: k = 3, offsets 5, 3, 1. Step 1: ST[5] <- ST[0]. Step 2: two threads, on ST[6] and ST[5]. From
 * step 3 on three threads, and in step 3 ST[5] is complete. No conflict anywhere. */
static void test_figure_3(void **unused) {
    (void)unused;
    const sdp_instance s = {.n = 9, .k = 3, .offsets = {5, 3, 1}, .presets = {1, 10, 100, 1000, 10000}, .op = PDP_ADD};
    const script *run = run_script(make_sdp(&s), "pipeline");
    size_t at = 0;
    assert_line(run, &at, 1, 1, 5, 0, PDP_STORES, 1);
    assert_line(run, &at, 2, 1, 6, 1, PDP_STORES, 10);
    assert_line(run, &at, 2, 2, 5, 2, 0, 101);
    assert_line(run, &at, 3, 1, 7, 2, PDP_STORES, 100);
    assert_line(run, &at, 3, 2, 6, 3, 0, 1010);
    assert_line(run, &at, 3, 3, 5, 4, PDP_FINISHES, 10101);
    assert_line(run, &at, 4, 1, 8, 3, PDP_STORES, 1000);
    assert_line(run, &at, 4, 2, 7, 4, 0, 10100);
    assert_line(run, &at, 4, 3, 6, 5, PDP_FINISHES, 11111);
    assert_line(run, &at, 5, 2, 8, 5, 0, 11101); /* after step n - a_1 = 4 a thread less each step */
    assert_line(run, &at, 5, 3, 7, 6, PDP_FINISHES, 21211);
    assert_line(run, &at, 6, 3, 8, 7, PDP_FINISHES, 32312);
    assert_int_equal(run->count, at);
}

/* Figure 4: offsets 4, 3, 2, 1: with head i all four threads read ST[i-4]. */
static void test_figure_4(void **unused) {
    (void)unused;
    const sdp_instance s = {.n = 9, .k = 4, .offsets = {4, 3, 2, 1}, .presets = {4, 3, 2, 1}};
    const script *run = run_script(make_sdp(&s), "pipeline");
    for (size_t at = 0; at < run->count; at++) {
        const uint32_t head = (uint32_t)run->line[at].step + 3;
        assert_int_equal(run->line[at].operation.operand[0], head - 4);
        const bool is_alone = head == 4 || head == 4 + 8 - 1;
        assert_int_equal((run->line[at].operation.flags & PDP_LEFT_CONFLICT) != 0, !is_alone);
        assert_int_equal(run->line[at].operation.flags & (PDP_LEFT_HAZARD | PDP_TARGET_CONFLICT), 0);
    }
    assert_int_equal(run->count, 20);
    pdp_record record = record_of(make_sdp(&s), "pipeline");
    assert_int_equal(record.max_multiplicity[0], 4);
    /* Heads 4 to 11 have 1, 2, 3, 4, 4, 3, 2, 1 threads, all on one operand. */
    assert_int_equal(record.conflicts[0], 0 + 1 + 2 + 3 + 3 + 2 + 1 + 0);
}

/* The 2-by-2 pipeline on the same offsets: two threads, each adding two terms a step. */
static void test_two_by_two(void **unused) {
    (void)unused;
    const sdp_instance s = {.n = 7, .k = 4, .offsets = {4, 3, 2, 1}, .presets = {1, 2, 4, 8}, .op = PDP_ADD};
    const script *run = run_script(make_sdp(&s), "pipeline2");
    const uint32_t operands[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}};
    size_t at = 0;
    assert_line2(run, &at, 1, 1, 4, operands[0], PDP_STORES, 3);
    assert_line2(run, &at, 2, 1, 5, operands[1], PDP_STORES, 6);
    assert_line2(run, &at, 2, 2, 4, operands[2], PDP_FINISHES, 15);
    assert_line2(run, &at, 3, 1, 6, operands[2], PDP_STORES, 12);
    assert_line2(run, &at, 3, 2, 5, operands[3], PDP_FINISHES, 29);
    assert_line2(run, &at, 4, 2, 6, operands[4], PDP_FINISHES, 56);
    assert_int_equal(run->count, at);
}

/* The operands of a cell, term by term. */
static void assert_terms(const script *s, uint32_t cell, const uint32_t (*operands)[2], size_t count) {
    size_t term = 0;
    for (size_t at = 0; at < s->count; at++) {
        const pdp_operation *o = &s->line[at].operation;
        if (o->target == cell) {
            assert_true(term < count);
            assert_int_equal(o->operand[0], operands[term][0]);
            assert_int_equal(o->operand[1], operands[term][1]);
            assert_int_equal((o->flags & PDP_STORES) != 0, term == 0);
            assert_int_equal((o->flags & PDP_FINISHES) != 0, term == count - 1);
            term++;
        }
    }
    assert_int_equal(term, count);
}

/* Figures 6 and 7, n = 5: ST[13] = f(1,11), f(6,8), f(10,4) and ST[12] = f(3,9), f(8,5), in this order. */
static void test_figures_6_and_7(void **unused) {
    (void)unused;
    static const char *const methods[] = {"sequential", "pipeline-printed"};
    const mcm_instance chain = {.n = 5, .dims = {2, 3, 4, 5, 6, 7}};
    for (size_t m = 0; m < 2; m++) {
        const script *run = run_script(make_mcm(&chain), methods[m]);
        assert_terms(run, 13, (const uint32_t[][2]){{1, 11}, {6, 8}, {10, 4}}, 3);
        assert_terms(run, 12, (const uint32_t[][2]){{3, 9}, {8, 5}}, 2);
        assert_terms(run, 15, (const uint32_t[][2]){{1, 14}, {6, 12}, {10, 9}, {13, 5}}, 4);
    }
    /* As printed, term j of cell x is done by thread j in the step with head x + j - 1. */
    const script *run = run_script(make_mcm(&chain), "pipeline-printed");
    for (size_t at = 0; at < run->count; at++) {
        assert_int_equal(run->line[at].step + 5, run->line[at].operation.target + run->line[at].operation.thread - 1);
    }
}

/* Figure 5: the numbers of the cells, and 0 where there is none. */
static void test_cell_numbers(void **unused) {
    (void)unused;
    static const uint64_t expected[5][5] = {
        {1, 6, 10, 13, 15}, {0, 2, 7, 11, 14}, {0, 0, 3, 8, 12}, {0, 0, 0, 4, 9}, {0, 0, 0, 0, 5}};
    for (uint64_t row = 0; row <= 6; row++) {
        for (uint64_t column = 0; column <= 6; column++) {
            bool is_cell = row >= 1 && row <= 5 && column >= 1 && column <= 5;
            assert_int_equal(pdp_mcm_cell_number(5, row, column), is_cell ? expected[row - 1][column - 1] : 0);
        }
    }
    for (uint64_t n = 1; n <= 30; n++) { /* diagonal by diagonal, without a gap */
        uint64_t number = 0;
        for (uint64_t d = 0; d < n; d++) {
            for (uint64_t row = 1; row + d <= n; row++) {
                assert_int_equal(pdp_mcm_cell_number(n, row, row + d), ++number);
            }
        }
    }
}

/* ---- The smallest wrong examples ---- */

/* n = 4, dimensions 2 1 2 1 1, in the step with head 10: thread 1 reads ST[9] for ST[10] before thread 2
 * has lowered it from 4 to 3, and the optimum comes out as 6 instead of 5. */
static void test_how_it_goes_wrong(void **unused) {
    (void)unused;
    const mcm_instance chain = {.n = 4, .dims = {2, 1, 2, 1, 1}};
    const script *run = run_script(make_mcm(&chain), "pipeline-printed");
    size_t hazards = 0;
    for (size_t at = 0; at < run->count; at++) {
        const pdp_operation *o = &run->line[at].operation;
        assert_int_equal(o->flags & PDP_LEFT_HAZARD, 0);
        if ((o->flags & PDP_RIGHT_HAZARD) != 0) {
            hazards++;
            assert_true(run->line[at].step == 6 && o->thread == 1 && o->target == 10);
            assert_true(o->operand[0] == 1 && o->operand[1] == 9 && o->value == 6);
        }
        if (o->target == 9) { /* A2 (A3 A4), then (A2 A3) A4 */
            assert_true(o->value == (o->thread == 1 ? 4 : 3));
            assert_true(run->line[at].step == (o->thread == 1 ? 5 : 6));
        }
    }
    assert_int_equal(hazards, 1);
}

typedef enum wrongness { RIGHT, WRONG_INSIDE, WRONG_OPTIMUM } wrongness;

/* Runs a chain as printed and right; gives both optima. */
static wrongness compare(const int64_t *dims, size_t n, int64_t *printed, int64_t *right) {
    pdp_problem *problem = make_chain(dims, n + 1);
    pdp_solution *a = solve(problem, "pipeline-printed", NULL);
    pdp_solution *b = solve(problem, "sequential", NULL);
    *printed = pdp_solution_value(a);
    *right = pdp_solution_value(b);
    const size_t bytes = (n + 1) * (n + 1) * sizeof(int64_t);
    bool same = memcmp(pdp_solution_table(a, NULL, NULL), pdp_solution_table(b, NULL, NULL), bytes) == 0;
    pdp_solution_free(a);
    pdp_solution_free(b);
    pdp_problem_free(problem);
    return same ? RIGHT : *printed == *right ? WRONG_INSIDE : WRONG_OPTIMUM;
}

/* The next chain with dimensions 1 .. most in lexicographic order; false after the last. */
static bool next_chain(int64_t *dims, size_t n, int64_t most) {
    for (size_t m = n + 1; m-- > 0;) {
        if (dims[m]++ < most) {
            return true;
        }
        dims[m] = 1;
    }
    return false;
}

/* The first chain of n matrices, by its largest dimension and then in lexicographic order, that is
 * wrong in this way; false if there is none with dimensions up to `limit`. */
static bool find_wrong(size_t n, int64_t limit, bool (*is_wanted)(wrongness), mcm_instance *found, int64_t *printed,
                       int64_t *right) {
    found->n = n;
    for (int64_t most = 1; most <= limit; most++) {
        for (size_t m = 0; m <= n; m++) {
            found->dims[m] = 1;
        }
        do {
            if (is_wanted(compare(found->dims, n, printed, right))) {
                return true;
            }
        } while (next_chain(found->dims, n, most));
    }
    return false;
}

static bool any_wrong(wrongness w) {
    return w != RIGHT;
}

static bool optimum_wrong(wrongness w) {
    return w == WRONG_OPTIMUM;
}

static bool inside_wrong(wrongness w) {
    return w == WRONG_INSIDE;
}

static void assert_found(size_t n, int64_t limit, bool (*is_wanted)(wrongness), const char *what, const int64_t *dims,
                         int64_t printed, int64_t right) {
    static mcm_instance found;
    int64_t got = 0;
    int64_t truth = 0;
    assert_true(find_wrong(n, limit, is_wanted, &found, &got, &truth));
    print_message("%s, n = %zu: dimensions", what, n);
    for (size_t m = 0; m <= n; m++) {
        print_message(" %" PRId64, found.dims[m]);
    }
    print_message(": printed %" PRId64 ", right %" PRId64 "\n", got, truth);
    assert_memory_equal(found.dims, dims, (n + 1) * sizeof *dims);
    assert_true(got == printed && truth == right);
}

/* Up to n = 3 the printed pipeline is right, here for all dimensions up to 4; then the smallest wrong ones. */
static void test_smallest_wrong(void **unused) {
    (void)unused;
    static mcm_instance found;
    int64_t printed;
    int64_t right;
    for (size_t n = 1; n <= 3; n++) {
        assert_false(find_wrong(n, 4, any_wrong, &found, &printed, &right));
    }
    assert_found(4, 6, any_wrong, "smallest wrong table", (int64_t[]){2, 1, 2, 1, 1}, 6, 5);
    assert_found(4, 6, optimum_wrong, "smallest wrong optimum", (int64_t[]){2, 1, 2, 1, 1}, 6, 5);
    /* Up to n = 5 only the last cell reads too early, so a wrong table is a wrong optimum. */
    assert_false(find_wrong(4, 4, inside_wrong, &found, &printed, &right));
    assert_false(find_wrong(5, 3, inside_wrong, &found, &printed, &right));
    assert_found(5, 6, optimum_wrong, "smallest wrong optimum", (int64_t[]){2, 1, 2, 1, 1, 1}, 7, 6);
    assert_found(6, 4, inside_wrong, "smallest wrong table with a right optimum", (int64_t[]){1, 2, 1, 2, 2, 1, 1}, 10,
                 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_3),       cmocka_unit_test(test_figure_4),
        cmocka_unit_test(test_two_by_two),     cmocka_unit_test(test_figures_6_and_7),
        cmocka_unit_test(test_cell_numbers),   cmocka_unit_test(test_how_it_goes_wrong),
        cmocka_unit_test(test_smallest_wrong),
    };
    return cmocka_run_group_tests_name("paper", tests, NULL, NULL);
}
