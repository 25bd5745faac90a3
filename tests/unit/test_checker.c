/* The checker against the definitions in checker.h, written down once more as plain loops over pairs
 * of threads. The checker's source is part of this program, so that its counter can be set. */
#include "support.h"

#include <inttypes.h>
#include <string.h>

#include "schedule/checker.c"

enum { ADDRESSES = 200, CELLS = 150, PRESETS = 20, MOST_THREADS = 140 };

/* The accesses of one substep. */
typedef struct accesses {
    size_t count;
    uint32_t thread[MOST_THREADS];
    uint32_t address[MOST_THREADS];
} accesses;

/* What the definitions say, kept beside the checker. */
typedef struct model {
    uint32_t width;
    uint32_t latency;
    bool final[ADDRESSES];
    pdp_record record;
} model;

static bool same_warp(const model *m, const accesses *a, size_t t, size_t other) {
    return a->thread[t] / m->width == a->thread[other] / m->width;
}

/* Threads of t's warp on t's address. */
static uint32_t in_warp_on_address(const model *m, const accesses *a, size_t t) {
    uint32_t count = 0;
    for (size_t o = 0; o < a->count; o++) {
        count += same_warp(m, a, t, o) && a->address[o] == a->address[t];
    }
    return count;
}

static bool is_first_on_address(const model *m, const accesses *a, size_t t) {
    for (size_t o = 0; o < t; o++) {
        if (same_warp(m, a, t, o) && a->address[o] == a->address[t]) {
            return false;
        }
    }
    return true;
}

/* Slots of the warp that begins with thread t. Reading, an address counts once; combining, each thread. */
static uint64_t dmm_slots(const model *m, const accesses *a, size_t t, bool combines) {
    uint64_t most = 0;
    for (uint32_t bank = 0; bank < m->width; bank++) {
        uint64_t taken = 0;
        for (size_t o = 0; o < a->count; o++) {
            if (same_warp(m, a, t, o) && a->address[o] % m->width == bank) {
                taken += combines || is_first_on_address(m, a, o);
            }
        }
        most = taken > most ? taken : most;
    }
    return most;
}

/* A group's addresses are served together, combining as often as the busiest of them is wanted. */
static uint64_t umm_slots(const model *m, const accesses *a, size_t t, bool combines) {
    uint64_t taken = 0;
    for (uint32_t group = 0; group <= ADDRESSES / m->width; group++) {
        uint64_t busiest = 0;
        for (size_t o = 0; o < a->count; o++) {
            if (same_warp(m, a, t, o) && a->address[o] / m->width == group) {
                uint64_t wanted = combines ? in_warp_on_address(m, a, o) : 1;
                busiest = wanted > busiest ? wanted : busiest;
            }
        }
        taken += busiest;
    }
    return taken;
}

static uint32_t on_address(const accesses *a, uint32_t address) {
    uint32_t count = 0;
    for (size_t t = 0; t < a->count; t++) {
        count += a->address[t] == address;
    }
    return count;
}

static void model_substep(model *m, uint32_t substep, const accesses *a, bool combines) {
    pdp_record *r = &m->record;
    uint32_t most = 0;
    for (size_t t = 0; t < a->count; t++) {
        r->hazards += !combines && !m->final[a->address[t]];
        bool is_first = true;
        for (size_t o = 0; o < t; o++) {
            is_first &= a->address[o] != a->address[t];
        }
        r->conflicts[substep] += !is_first;
        uint32_t threads = on_address(a, a->address[t]);
        most = threads > most ? threads : most;
        if (t == 0 || !same_warp(m, a, t, t - 1)) {
            r->cost_dmm += dmm_slots(m, a, t, combines);
            r->cost_umm += umm_slots(m, a, t, combines);
        }
    }
    if (a->count > 0) {
        r->cost_serial += most;
        r->cost_dmm += m->latency - 1;
        r->cost_umm += m->latency - 1;
        r->max_multiplicity[substep] = most > r->max_multiplicity[substep] ? most : r->max_multiplicity[substep];
    }
}

/* Threads with gaps in their numbers, on addresses of a range that is narrow or wide. */
static void draw(accesses *a, uint64_t *state, size_t most) {
    a->count = (size_t)pdp_random_between(state, 0, (int64_t)most);
    int64_t gap = pdp_random_between(state, 1, 3) == 1 ? pdp_random_between(state, 1, 60) : 1;
    int64_t range = pdp_random_between(state, 1, ADDRESSES);
    int64_t base = pdp_random_between(state, 0, ADDRESSES - range);
    uint32_t thread = (uint32_t)pdp_random_between(state, 0, 5);
    for (size_t t = 0; t < a->count; t++) {
        a->thread[t] = thread;
        thread += (uint32_t)pdp_random_between(state, 1, gap);
        a->address[t] = (uint32_t)(base + pdp_random_between(state, 0, range - 1));
    }
}

static void assert_same(const pdp_checker *checker, const model *m) {
    pdp_record found = {0};
    pdp_checker_report(checker, &found);
    const pdp_record *expected = &m->record;
    CHECK(found.hazards == expected->hazards, "hazards %" PRIu64 ", not %" PRIu64, found.hazards, expected->hazards);
    for (size_t substep = 0; substep < PDP_MAX_SUBSTEPS; substep++) {
        CHECK(found.conflicts[substep] == expected->conflicts[substep], "substep %zu: conflicts", substep);
        CHECK(found.max_multiplicity[substep] == expected->max_multiplicity[substep], "substep %zu: threads", substep);
    }
    CHECK(found.cost_serial == expected->cost_serial, "serial %" PRIu64, found.cost_serial);
    CHECK(found.cost_dmm == expected->cost_dmm, "width %u: DMM %" PRIu64 ", not %" PRIu64, m->width, found.cost_dmm,
          expected->cost_dmm);
    CHECK(found.cost_umm == expected->cost_umm, "width %u: UMM %" PRIu64 ", not %" PRIu64, m->width, found.cost_umm,
          expected->cost_umm);
}

/* A random substep for both; afterwards the checker still knows which addresses were shared. */
static void check_substep(pdp_checker *checker, model *m, uint64_t *state, size_t most) {
    accesses a;
    draw(&a, state, most);
    const uint32_t substep = (uint32_t)pdp_random_between(state, 0, PDP_MAX_SUBSTEPS - 1);
    const bool combines = pdp_random_between(state, 0, 1) == 1;
    (combines ? pdp_checker_combine : pdp_checker_read)(checker, substep, a.thread, a.address, a.count);
    model_substep(m, substep, &a, combines);
    for (size_t t = 0; t < a.count; t++) {
        CHECK(pdp_checker_is_shared(checker, a.address[t]) == (on_address(&a, a.address[t]) > 1), "address %u",
              a.address[t]);
        CHECK(pdp_checker_is_final(checker, a.address[t]) == m->final[a.address[t]], "address %u", a.address[t]);
    }
    if (pdp_random_between(state, 0, 3) == 0) {
        const uint32_t cell = (uint32_t)pdp_random_between(state, 0, CELLS - 1);
        pdp_checker_finish(checker, cell);
        m->final[cell] = true;
        pdp_checker_compute(checker);
        m->record.cost_serial++;
    }
    assert_same(checker, m);
}

static pdp_checker *create(model *m, uint32_t width, uint32_t latency) {
    *m = (model){.width = width, .latency = latency};
    for (size_t address = 0; address < ADDRESSES; address++) {
        m->final[address] = address < PRESETS || address >= CELLS;
    }
    pdp_checker *checker;
    pdp_error error;
    assert_int_equal(pdp_checker_create(&checker, ADDRESSES, CELLS, PRESETS, width, latency, &error), PDP_OK);
    return checker;
}

/* Random substeps for widths that are and are not powers of two, one and more. */
static void test_random_accesses(void **unused) {
    (void)unused;
    static const uint32_t widths[] = {1, 2, 3, 7, 32, 33, 64, 1024};
    uint64_t state = test_seed();
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (uint32_t latency = 1; latency <= 5; latency += 4) {
            for (size_t run = 0; run < campaign(4, 100); run++) {
                model m;
                pdp_checker *checker = create(&m, widths[w], latency);
                for (size_t substep = 0; substep < 60; substep++) {
                    check_substep(checker, &m, &state, substep % 5 == 0 ? MOST_THREADS : 40);
                }
                pdp_checker_free(checker);
            }
        }
    }
}

/* When the numbers of requests and of substeps run out, what was seen before is forgotten and nothing else changes. */
static void test_request_numbers_run_out(void **unused) {
    (void)unused;
    uint64_t state = test_seed() + 1;
    for (uint32_t before = 0; before < 400; before++) {
        model m;
        pdp_checker *checker = create(&m, 1 + before % 5, 1);
        for (size_t substep = 0; substep < 3; substep++) { /* low numbers remain in the stamps */
            check_substep(checker, &m, &state, 20);
        }
        checker->request = REQUESTS - before;
        checker->substep = SUBSTEPS - before % 40;
        bool restarts = false;
        for (size_t substep = 0; substep < 60; substep++) {
            check_substep(checker, &m, &state, 20);
            restarts |= checker->request < REQUESTS / 2 && checker->substep < SUBSTEPS / 2;
        }
        assert_true(restarts || before > 60);
        pdp_checker_free(checker);
    }
}

/* By hand, width 4, latency 3: threads 0-3 read 0, 4, 4, 5 and thread 9 reads 5. Warp 0 wants 0 and 4 of
 * bank 0 (DMM 2) in two groups (UMM 2), warp 2 one of each; 2 slots of latency. */
static void test_by_hand(void **unused) {
    (void)unused;
    model m;
    pdp_checker *checker = create(&m, 4, 3);
    const uint32_t threads[] = {0, 1, 2, 3, 9};
    const uint32_t addresses[] = {0, 4, 4, 5, 5};
    pdp_checker_read(checker, 0, threads, addresses, 5);
    pdp_record r = {0};
    pdp_checker_report(checker, &r);
    assert_true(r.hazards == 0 && r.conflicts[0] == 2 && r.max_multiplicity[0] == 2);
    assert_true(r.cost_serial == 2 && r.cost_dmm == 2 + 1 + 2 && r.cost_umm == 2 + 1 + 2);
    /* Combining, the two threads on 4 take a slot each: DMM 3, UMM 1 + 2. */
    pdp_checker_combine(checker, 1, threads, addresses, 5);
    pdp_checker_report(checker, &r);
    assert_true(r.conflicts[1] == 2 && r.max_multiplicity[1] == 2 && r.cost_serial == 4);
    assert_true(r.cost_dmm == 5 + 3 + 1 + 2 && r.cost_umm == 5 + 3 + 1 + 2);
    /* A cell that is not final is a hazard for each of its readers, until it is finished. */
    const uint32_t unfinished[] = {20, 20, 149, 150, 19};
    pdp_checker_read(checker, 0, threads, unfinished, 5);
    pdp_checker_report(checker, &r);
    assert_true(r.hazards == 3);
    pdp_checker_finish(checker, 20);
    pdp_checker_read(checker, 0, threads, unfinished, 5);
    pdp_checker_report(checker, &r);
    assert_true(r.hazards == 4);
    pdp_checker_free(checker);
    pdp_checker_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_random_accesses),
        cmocka_unit_test(test_request_numbers_run_out),
    };
    return cmocka_run_group_tests_name("checker", tests, NULL, NULL);
}
