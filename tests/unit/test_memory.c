/* What a run allocates, counted; and what happens when an allocation is refused. The linker's --wrap
 * leads the library's malloc, calloc, realloc and free through here. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

/* Blocks that are alive, with the sizes that were asked for. */
enum { MOST_BLOCKS = 256 };

static struct {
    bool on;
    void *block[MOST_BLOCKS];
    size_t size[MOST_BLOCKS];
    size_t blocks;
    size_t bytes; /* alive */
    size_t peak;
    size_t allocations; /* so far */
    size_t refuse;      /* the number of the allocation to refuse, from 1; 0: none */
    bool refuse_rest;   /* and all after it */
    size_t refused;
} counter;

static void start_counting(size_t refuse, bool refuse_rest) {
    memset(&counter, 0, sizeof counter);
    counter.refuse = refuse;
    counter.refuse_rest = refuse_rest;
    counter.on = true;
}

static bool is_refused(void) {
    if (!counter.on) {
        return false;
    }
    counter.allocations++;
    bool refused = counter.refuse > 0 && (counter.allocations == counter.refuse ||
                                          (counter.refuse_rest && counter.allocations > counter.refuse));
    counter.refused += refused;
    return refused;
}

static void *note(void *block, size_t size) {
    if (counter.on && block) {
        assert_true(counter.blocks < MOST_BLOCKS);
        counter.block[counter.blocks] = block;
        counter.size[counter.blocks++] = size;
        counter.bytes += size;
        counter.peak = counter.bytes > counter.peak ? counter.bytes : counter.peak;
    }
    return block;
}

static void forget(const void *block) {
    for (size_t b = 0; block && b < counter.blocks; b++) {
        if (counter.block[b] == block) {
            counter.bytes -= counter.size[b];
            counter.block[b] = counter.block[--counter.blocks];
            counter.size[b] = counter.size[counter.blocks];
            return;
        }
    }
}

void *__wrap_malloc(size_t size) {
    return is_refused() ? NULL : note(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return is_refused() ? NULL : note(__real_calloc(count, size), count * size);
}

void *__wrap_realloc(void *memory, size_t size) {
    if (is_refused()) {
        return NULL;
    }
    forget(memory);
    return note(__real_realloc(memory, size), size);
}

void __wrap_free(void *memory) {
    forget(memory);
    __real_free(memory);
}

/* ---- The peak ---- */

static int do_nothing(void *context, const pdp_step *step) {
    (void)context;
    (void)step;
    return 0;
}

/* The peak of a run is never above the plan's bytes, and not far below them. */
static void check_peak(const pdp_problem *problem, pdp_kind kind) {
    for (size_t m = 0; m < method_count(kind); m++) {
        for (int variant = 0; variant < 8; variant++) {
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.algorithm = pdp_algorithm_name(kind, m);
            options.record = variant % 2;
            options.splits = variant / 2 % 2;
            options.on_step = variant / 4 == 1 ? do_nothing : NULL;
            pdp_plan *plan;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
            start_counting(0, false);
            pdp_solution *solution;
            assert_int_equal(pdp_plan_run(plan, &solution), PDP_OK);
            const size_t peak = counter.peak;
            pdp_solution_free(solution);
            CHECK(counter.blocks == 0, "%s: %zu blocks are left", options.algorithm, counter.blocks);
            counter.on = false;
            CHECK(peak <= pdp_plan_bytes(plan) && peak * 10 >= pdp_plan_bytes(plan) * 8,
                  "%s, variant %d: peak %zu, planned %zu", options.algorithm, variant, peak,
                  (size_t)pdp_plan_bytes(plan));
            pdp_plan_free(plan);
        }
    }
}

static mcm_instance chain;
static sdp_instance s;

static void test_peak(void **unused) {
    (void)unused;
    uint64_t state = test_seed();
    static const size_t chains[] = {1, 2, 3, 10, 150};
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        random_chain(&chain, &state, chains[c], 50);
        pdp_problem *problem = make_mcm(&chain);
        check_peak(problem, PDP_MCM);
        pdp_problem_free(problem);
    }
    static const size_t tables[][3] = {{1, 1, 1}, {2, 1, 1}, {5, 5, 5}, {300, 7, 90}, {400, 300, 301}};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        random_offsets(&s, &state, tables[t][1], tables[t][2]);
        random_presets(&s, &state, -5, 5);
        s.n = tables[t][0];
        pdp_problem *problem = make_sdp(&s);
        check_peak(problem, PDP_SDP);
        pdp_problem_free(problem);
    }
}

/* ---- Refused allocations ---- */

/* A status may be success or no memory, and then says so. */
static bool failed(pdp_status status, const char *text) {
    assert_true(status == PDP_OK || status == PDP_NO_MEMORY);
    assert_true((status == PDP_OK) == (*text == '\0'));
    return status != PDP_OK;
}

typedef bool work_function(size_t method); /* does something, and tells whether it failed */

static bool do_mcm(size_t method) {
    pdp_problem *problem;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = pdp_algorithm_name(PDP_MCM, method % 5);
    options.record = method / 5 % 2 == 1;
    options.splits = options.record;
    options.on_step = do_nothing;
    pdp_status status = pdp_problem_create_mcm(&problem, chain.dims, chain.n + 1);
    bool fails = failed(status, pdp_problem_error(problem));
    if (!fails) {
        status = pdp_plan_create(&plan, problem, &options);
        fails = failed(status, pdp_plan_error(plan));
    }
    if (!fails) {
        status = pdp_plan_run(plan, &solution);
        fails = failed(status, pdp_solution_error(solution));
    }
    if (!fails) {
        char *order = pdp_solution_order(solution);
        fails = !order;
        free(order);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    return fails;
}

static bool do_sdp(size_t method) {
    pdp_problem *problem;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = pdp_algorithm_name(PDP_SDP, method % 5);
    options.record = method / 5 % 2 == 1;
    options.on_step = do_nothing;
    pdp_sdp sdp = {s.n, s.offsets, s.k, s.presets, (size_t)s.offsets[0], PDP_MIN, PDP_OVERFLOW_ERROR, 0};
    pdp_status status = pdp_problem_create_sdp(&problem, &sdp);
    bool fails = failed(status, pdp_problem_error(problem));
    if (!fails) {
        status = pdp_plan_create(&plan, problem, &options);
        fails = failed(status, pdp_plan_error(plan));
    }
    if (!fails) {
        status = pdp_plan_run(plan, &solution);
        fails = failed(status, pdp_solution_error(solution));
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    return fails;
}

static bool do_failed_run(size_t method) {
    (void)method;
    pdp_solution *solution;
    pdp_status status = pdp_plan_run(NULL, &solution);
    assert_true(status == PDP_BAD_INPUT || status == PDP_NO_MEMORY);
    assert_true(*pdp_solution_error(solution) != '\0');
    pdp_solution_free(solution);
    return status == PDP_NO_MEMORY;
}

static bool do_numbers(size_t method) {
    static char text[4096];
    size_t length = 0;
    while (length + 3 < sizeof text) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%d ", (int)(length % 10));
    }
    pdp_numbers *numbers;
    pdp_status status = method == 2 ? pdp_numbers_read(&numbers, "/dev/null")
                                    : pdp_numbers_parse(&numbers, text, method == 0 ? length : method);
    bool fails = failed(status, pdp_numbers_error(numbers));
    pdp_numbers_free(numbers);
    return fails;
}

static bool do_file(size_t method) {
    (void)method;
    pdp_file *file;
    pdp_status status = pdp_file_create(&file, "/tmp/pipedp-memory-test");
    assert_true(status == PDP_OK || status == PDP_NO_MEMORY || status == PDP_IO);
    assert_true((status == PDP_OK) == (*pdp_file_error(file) == '\0'));
    pdp_file_free(file);
    return status != PDP_OK;
}

/* Refuses the first, second, ... allocation, alone and with all that follow, until none is left to
 * refuse. Each time the work fails, or can do without; it neither crashes nor leaks. */
static void check_refusals(work_function *work, size_t methods, size_t least_failures) {
    size_t failures = 0;
    for (size_t method = 0; method < methods; method++) {
        for (int refuse_rest = 0; refuse_rest < 2; refuse_rest++) {
            for (size_t refuse = 1;; refuse++) {
                start_counting(refuse, refuse_rest == 1);
                const bool fails = work(method);
                counter.on = false;
                assert_int_equal(counter.blocks, 0);
                failures += fails;
                if (counter.refused == 0) {
                    assert_false(fails);
                    break;
                }
            }
        }
    }
    assert_true(failures >= least_failures);
}

static void test_refusals(void **unused) {
    (void)unused;
    uint64_t state = test_seed();
    random_chain(&chain, &state, 12, 50);
    random_offsets(&s, &state, 7, 20);
    random_presets(&s, &state, -5, 5);
    s.n = 60;
    check_refusals(do_mcm, 10, 10 * 2 * 8);
    check_refusals(do_sdp, 10, 10 * 2 * 5);
    check_refusals(do_numbers, 3, 8);
    check_refusals(do_file, 1, 2);
    check_refusals(do_failed_run, 1, 2);
}

/* Byte counts saturate: what is too large for 64 bits is larger than every limit. */
static void test_byte_counts(void **unused) {
    (void)unused;
    assert_true(pdp_bytes_multiply(3, 5) == 15);
    assert_true(pdp_bytes_multiply(UINT64_C(1) << 32, UINT64_C(1) << 32) == UINT64_MAX);
    assert_true(pdp_bytes_multiply(UINT64_C(1) << 32, UINT64_C(1) << 31) == UINT64_C(1) << 63);
    assert_true(pdp_bytes_multiply(0, UINT64_MAX) == 0);
    assert_true(pdp_bytes_add(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(pdp_bytes_add(UINT64_MAX - 1, 1) == UINT64_MAX);
    assert_true(pdp_bytes_add(2, 3) == 5);
}

/* What is free is no more than the machine has, and, unless a control group says less, no less than half
 * of what the kernel calls unused. */
static void test_available(void **unused) {
    (void)unused;
    const uint64_t available = pdp_memory_available();
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    assert_true(available > 0 && available <= (uint64_t)sysconf(_SC_PHYS_PAGES) * page);
    char limit[32] = "max";
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (file) {
        assert_int_equal(fscanf(file, "%31s", limit), 1);
        fclose(file);
    }
    if (strcmp(limit, "max") == 0) {
        assert_true(available >= (uint64_t)sysconf(_SC_AVPHYS_PAGES) * page / 2);
    } else {
        assert_true(available <= strtoull(limit, NULL, 10));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peak),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_byte_counts),
        cmocka_unit_test(test_available),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
