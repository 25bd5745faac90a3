/* The engines from the inside: kernels stamped with other tiles and blocks, the tile pipeline's trace under the checker
 * of schedules, its order at sizes that no arithmetic would finish, types at the edges of their range, many callers at
 * once, progress. Many callers stay out of cmocka's asserts: they report by what they return. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/memory.h"
#include "cpu/data.h"
#include "cpu/interval.h"
#include "cpu/kernel.h"
#include "cpu/linear.h"
#include "plan/type.h"
#include "problem/bound.h"
#include "reference/textbook.h"
#include "solution/solution.h"

enum { MOST = 300 };

/* ---- Problems ---- */

static pdp_problem *load(const char *name) {
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    assert_int_equal(pdp_recurrence_load(&recurrence, name), PDP_OK);
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    pdp_recurrence_free(recurrence);
    return problem;
}

static pdp_problem *parse(const char *text) {
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    pdp_status status = pdp_recurrence_parse(&recurrence, text, strlen(text));
    CHECK(status == PDP_OK, "%s", pdp_recurrence_error(recurrence));
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    pdp_recurrence_free(recurrence);
    return problem;
}

static void give(pdp_problem *problem, const char *name, const int64_t *data, size_t rows, size_t columns) {
    CHECK(pdp_problem_set_whole(problem, name, data, rows, columns) == PDP_OK, "%s", pdp_problem_error(problem));
}

static void give_one(pdp_problem *problem, const char *name, int64_t value) {
    give(problem, name, &value, 1, 0);
}

static void give_random(pdp_problem *problem, const char *name, size_t rows, size_t columns, uint64_t *random,
                        int64_t low, int64_t high) {
    static int64_t data[MOST * MOST];
    const size_t count = rows * (columns > 0 ? columns : 1);
    for (size_t m = 0; m < count; m++) {
        data[m] = pdp_random_between(random, low, high);
    }
    give(problem, name, data, rows, columns);
}

static void give_random_text(pdp_problem *problem, const char *name, size_t count, uint64_t *random,
                             const char *letters) {
    char text[MOST];
    for (size_t m = 0; m < count; m++) {
        text[m] = letters[pdp_random_between(random, 0, (int64_t)strlen(letters) - 1)];
    }
    assert_int_equal(pdp_problem_set_text(problem, name, text, count), PDP_OK);
}

/* ---- Other tiles ---- */

/* All that a stamp can have: values hoisted over i and k, k and j, and j; an option over what lies inside; a finish. */
static const char everything[] = "interval everything\n"
                                 "  input   p[n]\n"
                                 "  input   c[n,n]\n"
                                 "  size    n\n"
                                 "  leaf    p[i] - i\n"
                                 "  empty   p[i]\n"
                                 "  term    max(l, r + c[k,j]) + p[i]*p[k] - (k - p[k])*p[j]\n"
                                 "  option  inside + c[i,j] if (i + j) % 3 == 0\n"
                                 "  option  p[j] - 40*i\n"
                                 "  finish  best - p[j] + c[j,i]\n"
                                 "  combine min\n";

/* A problem with so many points. */
static pdp_problem *make_points(const char *name, size_t points, uint64_t *random) {
    pdp_problem *problem = strcmp(name, "everything") == 0 ? parse(everything) : load(name);
    if (strcmp(name, "mcm") == 0) {
        give_random(problem, "p", points, 0, random, 1, 40);
    } else if (strcmp(name, "obst") == 0) {
        give_random(problem, "p", points - 2, 0, random, 0, 30);
        give_random(problem, "q", points - 1, 0, random, 0, 30);
    } else if (strcmp(name, "nussinov") == 0) {
        give_random_text(problem, "s", points - 1, random, "ACGU");
        give_one(problem, "loop", pdp_random_between(random, 0, 2));
    } else if (strcmp(name, "triangulation") == 0) {
        give_random(problem, "x", points, 0, random, -1000, 1000);
        give_random(problem, "y", points, 0, random, -1000, 1000);
    } else if (strcmp(name, "cyk") == 0) {
        give_random_text(problem, "s", points - 1, random, "ab");
        give_random(problem, "A", 9, 0, random, 0, 3);
        give_random(problem, "B", 9, 0, random, 0, 3);
        give_random(problem, "C", 9, 0, random, 0, 3);
        give_random(problem, "D", 3, 0, random, 0, 3);
        assert_int_equal(pdp_problem_set_text(problem, "letter", "aab", 3), PDP_OK);
    } else {
        give_random(problem, "p", points, 0, random, -9, 9);
        give_random(problem, "c", points, points, random, -50, 50);
    }
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
    return problem;
}

/* A kernel compiled with definitions of the test's own before its text. */
static pdp_module *stamp_with(const char *definitions, const pdp_problem *problem, const pdp_stamp *stamp) {
    size_t length;
    char *text = pdp_kernel_text(problem->recurrence, stamp, &length);
    assert_non_null(text);
    const size_t before = strlen(definitions);
    char *whole = malloc(before + length);
    assert_non_null(whole);
    memcpy(whole, definitions, before);
    memcpy(whole + before, text, length);
    pdp_module *module;
    pdp_error error = {0};
    pdp_status status = pdp_module_open(&module, whole, before + length, "-O1", &error);
    CHECK(status == PDP_OK, "%s%s", definitions, error.text);
    free(text);
    free(whole);
    return module;
}

static bool is_same_cell(const pdp_solution *found, const pdp_solution *expected, size_t i, size_t j) {
    const pdp_value a = pdp_solution_cell(found, i, j);
    const pdp_value b = pdp_solution_cell(expected, i, j);
    return pdp_solution_is_real(expected) ? !(a.real < b.real || a.real > b.real) : a.whole == b.whole;
}

/* Runs an interval kernel and compares every cell with the reference's. */
static void check_tiles(const char *name, const pdp_interval_kernel *kernel, const pdp_problem *problem,
                        const pdp_stamp *stamp, int threads) {
    pdp_solution *expected = solve(problem, "sequential", NULL);
    pdp_solution found = {.problem = (pdp_problem *)problem, .shape = PDP_INTERVAL, .n = problem->n};
    pdp_data data;
    pdp_error error = {0};
    assert_int_equal(pdp_data_create(&data, problem, stamp, &error), PDP_OK);
    found.type = stamp->type;
    found.tiles = (pdp_tiles){
        .points = problem->n + 1, .tile = kernel->tile, .panel = kernel->panel, .cell_bytes = kernel->elem_bytes};
    assert_int_equal(pdp_tiles_allocate(&found.tiles, &error), PDP_OK);
    const pdp_interval_run run = {.kernel = kernel, .data = &data.kernel, .threads = threads};
    assert_int_equal(pdp_interval_solve(&run, &found.tiles, &error), PDP_OK);
    assert_int_equal(pdp_data_check(&data, &error), PDP_OK);
    for (size_t i = 0; i <= problem->n; i++) {
        for (size_t j = i + 1; j <= problem->n; j++) {
            CHECK(is_same_cell(&found, expected, i, j), "%s, %zu points in tiles of %u, %d threads: cell (%zu,%zu)",
                  name, problem->n + 1, kernel->tile, threads, i, j);
        }
    }
    pdp_tiles_free(&found.tiles);
    pdp_data_free(&data);
    pdp_solution_free(expected);
}

/* Sizes around the edges of a tile. */
static void check_tile_edges(const char *name, const char *type, const char *definitions, uint64_t *random) {
    pdp_stamp stamp;
    pdp_error error = {0};
    size_t widest;
    pdp_problem *first = make_points(name, 5, random);
    assert_int_equal(
        pdp_type_choose(&stamp, (const pdp_problem *const *)&first, 1, type, PDP_LEVEL_GENERIC, false, &widest, &error),
        PDP_OK);
    pdp_module *module = stamp_with(definitions, first, &stamp);
    const pdp_interval_kernel *kernel = pdp_module_symbol(module, "pdp_kernel");
    const size_t tile = kernel->tile;
    const size_t sizes[] = {2, 3, 4, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1, 3 * tile + 2, 5 * tile + 1};
    static const int threads[] = {1, 2, 3, 8};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (sizes[s] >= 2 && sizes[s] < 200) {
            pdp_problem *problem = make_points(name, sizes[s], random);
            check_tiles(name, kernel, problem, &stamp, threads[s % 4]);
            pdp_problem_free(problem);
        }
    }
    pdp_problem_free(first);
    pdp_module_close(module);
}

/* Tiles of 1, 2, 3, 16, 64 and odd sizes, register blocks and blocks of finishing of other shapes, chains of another
 * number: in scalars, which fit every tile, and in vectors of 16 bytes. */
static void test_tile_sizes(void **unused) {
    (void)unused;
    static const char *const shapes[] = {
        "#define PDP_SCALAR\n#define PDP_TILE 1\n#define PDP_ROWS 1\n#define PDP_COLUMNS 1\n#define PDP_BLOCK 1\n",
        "#define PDP_SCALAR\n#define PDP_TILE 2\n#define PDP_ROWS 1\n#define PDP_COLUMNS 2\n#define PDP_BLOCK 1\n",
        "#define PDP_SCALAR\n#define PDP_TILE 3\n#define PDP_ROWS 3\n#define PDP_COLUMNS 1\n#define PDP_BLOCK 3\n",
        "#define PDP_SCALAR\n#define PDP_TILE 7\n#define PDP_ROWS 1\n#define PDP_COLUMNS 7\n#define PDP_BLOCK 1\n"
        "#define PDP_CHAINS 3\n",
        "#define PDP_SCALAR\n#define PDP_TILE 16\n#define PDP_ROWS 2\n#define PDP_COLUMNS 4\n#define PDP_BLOCK 8\n"
        "#define PDP_CHAINS 1\n",
        "#define PDP_TILE 16\n#define PDP_ROWS 4\n#define PDP_COLUMNS 1\n#define PDP_BLOCK 8\n",
        "#define PDP_TILE 36\n#define PDP_ROWS 3\n#define PDP_COLUMNS 3\n#define PDP_BLOCK 12\n#define PDP_CHAINS 2\n",
        "#define PDP_TILE 64\n#define PDP_ROWS 8\n#define PDP_COLUMNS 2\n#define PDP_BLOCK 16\n",
    };
    static const char *const names[][2] = {
        {"everything", "i32"}, {"nussinov", "i32"}, {"mcm", "i32"}, {"triangulation", "f64"}, {"cyk", NULL}};
    uint64_t random = test_seed();
    const size_t shape_count = sizeof shapes / sizeof *shapes;
    const size_t name_count = sizeof names / sizeof *names;
    for (size_t s = 0; s < shape_count; s++) {
        for (size_t n = 0; n < name_count; n++) {
            /* Every shape with the one that has all there is; the others in turn. */
            if (n == 0 || (s + n) % 3 == 0 || campaign(0, 1)) {
                check_tile_edges(names[n][0], names[n][1], shapes[s], &random);
            }
        }
    }
}

/* ---- Other register groups ---- */

static void check_blocks(const pdp_linear_kernel *kernel, size_t cells, uint64_t *random) {
    static const int64_t limits[] = {1, 3, 20, 900};
    pdp_problem *problem = load("sdp_added");
    const int64_t limit = limits[pdp_random_between(random, 0, 3)];
    const size_t largest = (size_t)(limit < (int64_t)cells ? limit : (int64_t)cells);
    give_random(problem, "a", (size_t)pdp_random_between(random, 1, 200), 0, random, 1, (int64_t)largest);
    give_random(problem, "init", largest, 0, random, -99, 99);
    give_random(problem, "w", (size_t)problem->inputs[0].extent[0], 0, random, -99, 99);
    give_one(problem, "n", (int64_t)cells);
    assert_int_equal(pdp_problem_set_text(problem, "op", "min", 3), PDP_OK);
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
    pdp_stamp stamp;
    pdp_data data;
    pdp_error error = {0};
    size_t widest;
    assert_int_equal(pdp_type_choose(&stamp, (const pdp_problem *const *)&problem, 1, "i32", PDP_LEVEL_GENERIC, false,
                                     &widest, &error),
                     PDP_OK);
    assert_int_equal(pdp_data_create(&data, problem, &stamp, &error), PDP_OK);
    const pdp_linear_job job = {.kernel = kernel,
                                .data = &data.kernel,
                                .cells = cells,
                                .preset_count = problem->preset_count,
                                .offsets = (const int64_t *)problem->offsets,
                                .offset_count = problem->offset_count,
                                .threads = 2};
    int32_t *table = pdp_pages_allocate(pdp_linear_table_bytes(&job), &error);
    assert_non_null(table);
    assert_int_equal(pdp_linear_solve(&job, table, (pdp_progress){NULL, NULL}, &error), PDP_OK);
    pdp_solution *expected = solve(problem, "sequential", NULL);
    for (size_t i = 0; i < cells; i++) {
        CHECK(table[i] == pdp_solution_cell(expected, 0, i).whole, "groups of %d: cell %zu of %zu", kernel->group, i,
              cells);
    }
    pdp_solution_free(expected);
    free(table);
    pdp_data_free(&data);
    pdp_problem_free(problem);
}

/* The linear engine makes its blocks of what the kernel says it holds in registers. */
static void test_group_sizes(void **unused) {
    (void)unused;
    static const char *const shapes[] = {"#define PDP_GROUP 1\n", "#define PDP_GROUP 2\n", "#define PDP_GROUP 3\n",
                                         "#define PDP_SCALAR\n#define PDP_GROUP 1\n",
                                         "#define PDP_SCALAR\n#define PDP_GROUP 7\n"};
    static const size_t sizes[] = {1, 2, 3, 4, 5, 63, 64, 65, 127, 128, 129, 997, 1500};
    uint64_t random = test_seed();
    pdp_problem *problem = load("sdp_added");
    const pdp_stamp stamp = {.type = PDP_TYPE_I32, .combine = PDP_OP_MIN};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        pdp_module *module = stamp_with(shapes[s], problem, &stamp);
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
            check_blocks(pdp_module_symbol(module, "pdp_kernel"), sizes[n], &random);
        }
        pdp_module_close(module);
    }
    pdp_problem_free(problem);
}

/* ---- The trace of the pipeline ---- */

/* A trace that grows. */
typedef struct growing {
    pdp_tile_trace *trace;
    size_t room;
} growing;

static void record_event(void *context, const pdp_tile_event *event) {
    growing *g = context;
    if (g->trace && g->trace->count == g->room) {
        g->room *= 2;
        g->trace = realloc(g->trace, sizeof *g->trace + g->room * sizeof *event);
    }
    if (g->trace) {
        g->trace->events[g->trace->count++] = *event;
    }
}

static uint32_t address_of(size_t row, size_t column) {
    return (uint32_t)(column * (column + 1) / 2 + row);
}

/* A kernel without arithmetic. */
static void start_nothing(const void *data, void *tile) {
    (void)data;
    (void)tile;
}

static void product_nothing(const void *data, void *c, const void *a, const void *b, int64_t i0, int64_t k0, int64_t j0,
                            const void *const *next, void *scratch) {
    (void)data, (void)c, (void)a, (void)b, (void)i0, (void)k0, (void)j0, (void)next, (void)scratch;
}

static void finish_nothing(const void *data, const pdp_tile_frame *frame, void *scratch) {
    (void)data, (void)frame, (void)scratch;
}

static const pdp_interval_kernel nothing = {.elem_bytes = 1,
                                            .tile = 1,
                                            .panel = 1,
                                            .scratch_bytes = 1,
                                            .start = start_nothing,
                                            .product = product_nothing,
                                            .finish = finish_nothing};

/* The trace of a run over so many tiles in a row. */
static pdp_tile_trace *record_run(size_t side, int threads) {
    growing g = {.trace = calloc(1, sizeof *g.trace + 64 * sizeof(pdp_tile_event)), .room = 64};
    pdp_tiles tiles = {.points = side, .tile = 1, .panel = 1, .cell_bytes = 1};
    pdp_error error = {0};
    assert_non_null(g.trace);
    g.trace->side = side;
    assert_int_equal(pdp_tiles_allocate(&tiles, &error), PDP_OK);
    assert_int_equal(tiles.side, side);
    const pdp_interval_run run = {
        .kernel = &nothing, .threads = threads, .listener = record_event, .listener_context = &g};
    assert_int_equal(pdp_interval_solve(&run, &tiles, &error), PDP_OK);
    pdp_tiles_free(&tiles);
    assert_non_null(g.trace);
    return g.trace;
}

static void test_trace(void **unused) {
    (void)unused;
    static const size_t sides[] = {1, 2, 3, 4, 5, 8, 13, 40, 100};
    static const int threads[] = {1, 2, 3, 8};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            pdp_tile_trace *trace = record_run(sides[s], threads[t]);
            pdp_record record;
            pdp_error error = {0};
            CHECK(pdp_tile_trace_check(trace, &record, &error) == PDP_OK, "%zu tiles, %d threads: %s", sides[s],
                  threads[t], error.text);
            CHECK(record.hazards == 0 && record.conflicts[3] == 0 && 2 * record.steps == trace->count &&
                      record.threads >= 1 && record.threads <= (uint32_t)threads[t],
                  "%zu tiles, %d threads: %" PRIu64 " steps, %" PRIu32 " threads at once", sides[s], threads[t],
                  record.steps, record.threads);
            free(trace);
        }
    }
}

/* The start of the n-th piece of work that has products, not for the last column. */
static size_t find_piece(const pdp_tile_trace *t, size_t number) {
    for (size_t x = 0; x < t->count; x++) {
        const pdp_tile_event *e = &t->events[x];
        if (!e->is_end && e->end > e->first && e->finishes && e->column < t->side - 1 && number-- == 0) {
            return x;
        }
    }
    fail_msg("no such event");
    return 0;
}

/* One more of an event, or one less. */
static void repeat_event(pdp_tile_trace *t, size_t at) {
    memmove(&t->events[at + 1], &t->events[at], (t->count++ - at) * sizeof *t->events);
}

static void remove_event(pdp_tile_trace *t, size_t at) {
    memmove(&t->events[at], &t->events[at + 1], (--t->count - at) * sizeof *t->events);
}

/* What the checker says of a trace with damage of a kind. */
static const char *const damages[] = {
    "reads tile (%u,%u) before it is final",   /* a tile never becomes final, and is read */
    "before it is final",                      /* a tile is finished before its neighbours */
    "reads tile (%u,%u) before it is final",   /* a piece of work is left out */
    "and its finish, where 0 of",              /* a product is left out */
    "two threads are at work on it",           /* on the same tile */
    "starts before it has ended with another", /* a thread twice at once */
    "goes on after its finish",                /* a tile is finished twice */
    "ends what it has not started",            /* an end alone */
    "there is no such tile",                   /* beyond the last column */
    "is never finished",                       /* the end is missing */
};

static void damage_trace(pdp_tile_trace *t, size_t damage) {
    const size_t start = find_piece(t, 9);
    pdp_tile_event *e = &t->events[start];
    switch (damage) {
    case 0: e[1].finishes = false; break;
    case 1: e->column++, e->first = 0, e->end++; break;
    case 2:
        remove_event(t, start + 1);
        remove_event(t, start);
        break;
    case 3: e->first++; break;
    case 4:
        repeat_event(t, start);
        e->thread = 1;
        break;
    case 5: repeat_event(t, start); break;
    case 6:
        repeat_event(t, start + 1);
        t->events[start + 2] = *e;
        break;
    case 7: remove_event(t, start); break;
    case 8: e->column = (uint32_t)t->side; break;
    default: t->count--; break;
    }
}

/* What the checker is for: damage of each kind is found as what it is, and the tile is named. */
static void test_damaged_trace(void **unused) {
    (void)unused;
    for (size_t damage = 0; damage < sizeof damages / sizeof *damages; damage++) {
        pdp_tile_trace *trace = record_run(12, 1);
        pdp_tile_trace *damaged = malloc(sizeof *trace + (trace->count + 1) * sizeof *trace->events);
        assert_non_null(damaged);
        memcpy(damaged, trace, sizeof *trace + trace->count * sizeof *trace->events);
        damage_trace(damaged, damage);
        const pdp_tile_event *e = &trace->events[find_piece(trace, 9)];
        pdp_record record;
        pdp_error error = {0};
        char text[100];
        snprintf(text, sizeof text, damages[damage], e->row, e->column);
        CHECK(pdp_tile_trace_check(damaged, &record, &error) == PDP_BAD_INPUT && strstr(error.text, text) &&
                  strncmp(error.text, "tile (", 6) == 0,
              "damage %zu: '%s' instead of '%s'", damage, error.text, text);
        free(damaged);
        free(trace);
    }
}

/* ---- Large sizes without arithmetic ---- */

/* What a kernel that only counts knows of each tile. */
typedef struct counter {
    const unsigned char *cells;
    size_t side;
    size_t tile;
    int64_t room;   /* before point 0 in the first tile */
    uint32_t *next; /* product in the tile's order; UINT32_MAX: finished */
    atomic_uint_least64_t products;
    atomic_uint_least64_t faults;
} counter;

/* The tile that begins at a point. */
static size_t place_of(const counter *c, int64_t point) {
    return (size_t)(point + c->room) / c->tile;
}

/* The tile at an address, checked against its place in the problem. */
static bool is_tile(const counter *c, const void *at, int64_t i0, int64_t j0) {
    const size_t row = place_of(c, i0);
    const size_t column = place_of(c, j0);
    return row <= column && column < c->side && at == c->cells + (column * (column + 1) / 2 + row) * c->tile * c->tile;
}

static uint32_t *next_of(const counter *c, int64_t i0, int64_t j0) {
    return &c->next[address_of(place_of(c, i0), place_of(c, j0))];
}

static void count_product(const void *data, void *tile, const void *a, const void *b, int64_t i0, int64_t k0,
                          int64_t j0, const void *const *next, void *scratch) {
    counter *c = (counter *)data;
    uint32_t *position = next_of(c, i0, j0);
    const uint32_t row = (uint32_t)place_of(c, i0);
    const uint32_t middle = row + pdp_tile_middle((uint32_t)place_of(c, j0) - row, *position);
    const bool is_right = (int64_t)middle * (int64_t)c->tile - c->room == k0 && i0 < k0 && k0 < j0 &&
                          is_tile(c, tile, i0, j0) && is_tile(c, a, i0, k0) && is_tile(c, b, k0, j0) &&
                          *next_of(c, i0, k0) == UINT32_MAX && *next_of(c, k0, j0) == UINT32_MAX;
    (*position)++;
    if (!is_right) {
        atomic_fetch_add(&c->faults, 1);
    }
    (void)next, (void)scratch;
}

static void count_finish(const void *data, const pdp_tile_frame *frame, void *scratch) {
    counter *c = (counter *)data;
    const int64_t tile = (int64_t)c->tile;
    const int64_t distance = (frame->j0 - frame->i0) / tile;
    uint32_t *position = next_of(c, frame->i0, frame->j0);
    const uint32_t products = distance > 0 ? (uint32_t)distance - 1 : 0;
    bool is_right = *position == products && is_tile(c, frame->tile, frame->i0, frame->j0) &&
                    is_tile(c, frame->rows, frame->i0, frame->i0) && is_tile(c, frame->columns, frame->j0, frame->j0);
    if (distance > 0) {
        is_right &= *next_of(c, frame->i0, frame->j0 - tile) == UINT32_MAX &&
                    *next_of(c, frame->i0 + tile, frame->j0) == UINT32_MAX &&
                    is_tile(c, frame->left, frame->i0, frame->j0 - tile) &&
                    is_tile(c, frame->below, frame->i0 + tile, frame->j0);
    }
    if (distance > 1) {
        is_right &= is_tile(c, frame->corner, frame->i0 + tile, frame->j0 - tile);
    }
    atomic_fetch_add(&c->products, *position);
    *position = UINT32_MAX;
    if (!is_right) {
        atomic_fetch_add(&c->faults, 1);
    }
    (void)scratch;
}

/* Runs the pipeline over so many points, whose table is nothing but addresses. */
static void check_order(size_t points, size_t tile, int threads) {
    pdp_interval_kernel kernel = nothing;
    pdp_tiles tiles = {.points = points, .tile = tile, .panel = tile, .cell_bytes = 1};
    pdp_error error = {0};
    const uint64_t bytes = pdp_tiles_bytes(&tiles);
    const uint64_t side = (points + tile - 1) / tile;
    assert_int_equal(tiles.side, side);
    assert_int_equal(bytes, side * (side + 1) / 2 * tile * tile);
    tiles.cells = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(tiles.cells != MAP_FAILED);
    counter c = {.cells = tiles.cells, .side = side, .tile = tile, .room = (int64_t)(side * tile - points)};
    c.next = calloc(side * (side + 1) / 2, sizeof *c.next);
    assert_non_null(c.next);
    kernel.tile = kernel.panel = (uint32_t)tile;
    kernel.product = count_product;
    kernel.finish = count_finish;
    const pdp_interval_run run = {.kernel = &kernel, .data = &c, .threads = threads};
    assert_int_equal(pdp_interval_solve(&run, &tiles, &error), PDP_OK);
    CHECK(atomic_load(&c.faults) == 0, "%zu points in tiles of %zu: %" PRIuLEAST64 " faults", points, tile,
          atomic_load(&c.faults));
    assert_int_equal(atomic_load(&c.products), side * (side - 1) * (side - 2) / 6);
    for (size_t x = 0; x < side * (side + 1) / 2; x++) {
        assert_true(c.next[x] == UINT32_MAX);
    }
    free(c.next);
    munmap(tiles.cells, bytes);
}

/* Tables of more than 2^31 cells: every product of tiles once, on tiles that are final. */
static void test_large_orders(void **unused) {
    (void)unused;
    static const size_t points[] = {46340, 46341, 65535, 65536, 65537};
    for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
        check_order(points[p], campaign(256, 64), 1 + (int)p % 3);
    }
    check_order(65537, 128, 2);
}

/* Solves by a method; the solution may hold nothing but the error. NULL if the plan is refused. */
static pdp_solution *try_solve(const pdp_problem *problem, const char *algorithm, const char *type, char *type_found) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = algorithm;
    options.type = type;
    pdp_plan *plan;
    pdp_solution *solution = NULL;
    if (pdp_plan_create(&plan, problem, &options) == PDP_OK) {
        pdp_plan_run(plan, &solution);
        snprintf(type_found, 16, "%s", pdp_plan_type(plan));
    } else {
        assert_in(pdp_plan_error(plan), "holds numbers up to");
    }
    pdp_plan_free(plan);
    return solution;
}

/* ---- Expressions that are hard on an emitter ---- */

/* Interval recurrences over p[n], whose items are from 1 to 9, linear ones also over offsets o and weights w. */
#define POINTS "interval a\n input p[n]\n size n\n leaf p[i]\n "
#define LINE                                                                                                           \
    "linear a\n input p[n]\n input o[d] >= 1\n input w[d] >= 1\n size n\n missing skip\n preset 1 : 5\n offset "       \
    "o[j]\n "
#define GAPS                                                                                                           \
    "linear a\n input p[n]\n input o[d] >= 1\n input w[d]\n size n\n missing skip\n preset 1 : 0\n offset o[j] + 1\n "
/* Seventeen operands that know i and k but not j. */
#define SOME_OF(number) "max(p[i]*p[k] ^ " number ", p[j])"
#define FOUR_OF(number)                                                                                                \
    SOME_OF(number "0") " + " SOME_OF(number "1") " + " SOME_OF(number "2") " + " SOME_OF(number "3")
#define MANY "l + r + " FOUR_OF("1") " + " FOUR_OF("2") " + " FOUR_OF("3") " + " FOUR_OF("4") " + " SOME_OF("50")

static const char *const expressions[] = {
    /* What nobody asks for must not fail. */
    POINTS "term l + r + (l > 1000000 ? p[i-1] : 0)\n combine min\n",
    POINTS "term l + r + (l > 1000000 && p[i-1] > 0)\n combine min\n",
    POINTS "term l + (r < 0 ? r / (i*0) : r)\n combine max\n",
    POINTS "term r\n finish best < 0 ? p[i-1] : best + 1\n combine max\n",
    POINTS "term l + r\n option p[i-1] if i > 0\n combine max\n",
    /* Places that hold no cell have no values either, and cannot divide by them. */
    POINTS "term l / p[k] + r / p[j]\n combine add\n finish best % 1000\n",
    POINTS "term 100 / l + r\n combine add\n finish best % 1000 + 1\n",
    POINTS "term l\n finish best / p[j] + 7 % p[i]\n combine add\n",
    LINE "term 60 / s + s % w[j]\n finish best % 99 + 1\n combine add\n",
    /* What could only fail where there is no term. */
    POINTS "term l + r + n/k + n/(k - i) + n/(j - k) + n/(n - 1 - k)\n combine min\n",
    POINTS "term l + r + p[k-1]*p[i+2] + p[j-2]*p[k-1] + p[k+1]*p[j-1] + p[k] % (j - 1)\n combine min\n",
    POINTS "term l + r + p[(j - 2) % n]*p[k % n - 1]\n combine max\n",
    "linear a\n input p[n]\n input o[d] >= 1\n input w[d]\n size n\n missing skip\n source p[i]\n offset o[j] + 2\n "
    "term s + w[j] + 60/(i - 2) + p[i-1] + p[i % n - 3]\n combine max\n",
    /* Plain numbers of several indices, in folds, beside vectors. */
    POINTS "term (l & 7) + (i + j + k)\n combine add\n finish best % 99\n",
    POINTS "term (l ^ r) + ((i + j) % 3 == k % 2)\n combine add\n finish best % 99\n",
    POINTS "term add[q<3] (l + q*i) + (max[q<2] (r - q*j))\n combine min\n",
    LINE "term (5 > j ? i : 19) < 7 + n ? s : s + w[j]\n combine max\n",
    "interval a\n type bits\n input p[n]\n size n\n leaf p[i]\n term (add[q<j] ((l ^ r) & q)) + j\n combine add\n",
    "linear a\n type bits\n input p[n]\n input o[d] >= 1\n input w[d]\n size n\n missing skip\n preset 1 : 5\n offset "
    "o[j]\n term (add[q<i] ((s ^ 5) & q)) + (add[q<j] (s & q)) + i + j + w[j]\n combine add\n",
    POINTS "term (add[q<3] (l*p[(i+q) % n])) + (l >> i) + (r << k%3)\n finish best % 1000\n combine add\n",
    LINE "term (add[q<i] ((s ^ 5) & q)) + i + w[j]\n combine add\n finish best & 1023\n",
    LINE "term (s >> j) + (s << i%3) + w[j]\n combine add\n finish best & 1023\n",
    /* A product of residues is none of their representatives'; more operands than there are places for them. */
    "interval a\n param m >= 2 = 97\n type mod m\n input p[n]\n size n\n leaf p[i]\n term mul[q<3] (l + r + q)\n "
    "combine "
    "add\n",
    POINTS "term " MANY "\n combine min\n",
    /* Exact whole numbers on the way that no 64 bits hold. */
    POINTS "term l + r + i*4611686018427387904/4611686018427387904\n combine min\n",
    POINTS "term l*4611686018427387904/2305843009213693952 % 5 + r\n combine min\n",
    /* Bounds: an option is added, an empty fold has a value. */
    "interval a\n input p[n]\n size n\n leaf 0\n term 1000000000\n option 1500000000\n combine add\n finish best % "
    "2000000011\n",
    "interval a\n input p[n]\n size n\n leaf 0\n term l\n option 2000000000\n combine add\n finish best/p[0]/9\n",
    "interval a\n input p[n]\n size n\n leaf 0\n term l + (and[q<i] (p[q]*0))*100000*100000\n combine min\n",
    "interval a\n input p[n]\n size n\n leaf 0\n term l + (p[k] | 1000000000)*5\n combine min\n",
    "interval a\n input p[n]\n size n\n leaf 0\n term l + min(r, min[q<i] p[q])\n combine max\n",
    "interval a\n input p[n]\n size n\n leaf 0\n term l + (or[q<2] (r + q))*1000000\n combine max\n",
    /* And what is met on the way to a leaf, a preset or a condition, though no cell has it. */
    "interval a\n input p[n]\n size n\n leaf p[i]*100000*p[i]*70001 % 7\n term l + r\n combine min\n",
    "interval a\n input p[n]\n size n\n empty 0\n leaf 0\n term l + r\n option inside + 1 if p[i]*p[j] * 100000000 > "
    "3000000000\n combine max\n",
    "linear a\n input p[n]\n input o[d] >= 1\n input w[d]\n size n\n missing skip\n preset 9 : p[i]*100000*p[i]*70001 "
    "% "
    "7\n offset o[j]\n term s\n combine max\n",
    "interval a\n input p[n]\n size n\n empty 0\n leaf 0\n term l + r\n option inside + 1 if p[i]*3000000000 > "
    "p[j]*2000000000\n combine max\n",
    /* No way is no way, whatever is made of it. */
    GAPS "term 3*s + w[j]\n combine min\n finish best % 1000\n",
    GAPS "term max(s, w[j])\n combine min\n",
    /* Floats: a comparison is a whole number, a function is one of scalars. */
    "interval a\n type f64\n input p[n]\n size n\n leaf p[i]\n term (l > r)/2 + min(l, r)\n combine max\n",
    "interval a\n type f64\n input p[n]\n size n\n leaf p[i]\n term sqrt(l) + log(1 + abs(r))\n combine max\n",
    "interval a\n type f64\n input p[n]\n size n\n empty 0\n leaf p[i]\n term l + r\n option inside if p[j] - p[i]\n "
    "combine max\n",
    "interval a\n type f32\n input p[n]\n size n\n leaf p[i]/7\n term l + r + sum(p, i, j)/3\n combine min\n",
    "interval a\n type f32\n input p[n]\n size n\n leaf p[i]/7\n term exp(min(l, 0)) + r\n combine logsumexp\n",
    "interval a\n type i32\n input p[n]\n size n\n leaf p[i]*100000000\n term l + r\n combine max\n",
};

/* What fails for 9 points and more, and must not go unnoticed. */
static const char *const failures[] = {
    POINTS "term l + p[i*k - 1]\n combine min\n",
    "interval a\n input p[n]\n size n\n leaf p[i*i]\n term l + r\n combine min\n",
    POINTS "term l + r + sum(p, n + k*k, i)\n combine add\n finish best % 9\n",
    POINTS "term l / (k - 5) + r\n combine max\n",
    POINTS "term l + r\n option p[j*j] if j > 3\n combine max\n",
    "interval a\n type bits\n input p[n]\n size n\n leaf p[i]\n term l + r/(i - 2)\n combine add\n",
    LINE "term s + p[i + w[j]]\n combine min\n",
    LINE "term s + w[j]/(i - 3)\n combine min\n",
};

/* Gives its inputs what they may have. */
static pdp_problem *make_expression(const char *text, size_t size, uint64_t *random) {
    pdp_problem *problem = parse(text);
    give_random(problem, "p", size, 0, random, 1, 9);
    if (problem->shape == PDP_LINEAR) {
        give_random(problem, "o", 5, 0, random, 1, 9);
        give_random(problem, "w", 5, 0, random, 1, 9);
    }
    return problem;
}

static void test_failures(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    for (size_t e = 0; e < sizeof failures / sizeof *failures; e++) {
        for (size_t size = 9; size < 90; size += 60) {
            pdp_problem *problem = make_expression(failures[e], size, &random);
            static const int64_t all[] = {5, 4, 3, 2, 1}; /* offsets by which every cell is reached */
            if (problem->shape == PDP_LINEAR) {
                give(problem, "o", all, 5, 0);
            }
            static const char *const engines[] = {"blocks", "tiles"};
            const char *methods[] = {"sequential", engines[problem->shape]};
            for (size_t m = 0; m < 2; m++) {
                char type[16];
                pdp_solution *solution = try_solve(problem, methods[m], NULL, type);
                const char *why = pdp_solution_error(solution);
                CHECK(strstr(why, "divi") || strstr(why, "looks up p at") || strstr(why, "of 'p' is outside"),
                      "%s by %s: '%s'", failures[e], methods[m], why);
                pdp_solution_free(solution);
            }
            pdp_problem_free(problem);
        }
    }
}

/* A term that is no number is not lost beside others, whichever comes first; what cannot become one stays as fast. */
static void test_no_number(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        double items[4];
        bool is_fine;
    } cases[] = {
        {"interval a\n type f64\n input p[n]\n size n + 1\n leaf p[i]\n term l*r\n combine max\n",
         {0, 1e308, 1e308, 2},
         false},
        {"interval a\n type f64\n input p[n]\n size n + 1\n leaf p[i]\n term l*r\n combine min\n",
         {1e308, 1e308, 0, 2},
         false},
        {"interval a\n type f32\n input p[n]\n size n + 1\n leaf p[i]\n term max(l*r, 5)\n combine max\n",
         {0, 1e38, 1e38, 2},
         false},
        {"interval a\n type f64\n input p[n]\n size n + 1\n leaf p[i]\n term l/r\n combine max\n", {1, 0, 0, 2}, false},
        {"interval a\n type f64\n input p[n]\n size n + 1\n leaf p[i]\n term l*r\n combine max\n",
         {0, 1e99, 1e99, 1e99},
         true},
        {"interval a\n type f64\n input p[n]\n size n\n leaf 1\n term l + r + (j-i > 2 && k == i+1 ? "
         "p[0]/(1e18 + 1 - 1e18) : p[k])\n combine min\n",
         {0, 1, 1, 1},
         false},
        {"linear a\n type f64\n input p[k]\n size 4\n preset 1 : 1\n offset 1\n term p[j]*s\n finish max(best, -1)\n "
         "combine add\n",
         {1e308, 0, 0, 0},
         false},
        {"linear a\n type f32\n input p[k]\n size 4\n preset 1 : 1\n offset 1\n term sqrt(s - p[j])\n combine min\n",
         {2, 0, 0, 0},
         false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pdp_problem *problem = parse(cases[c].text);
        assert_int_equal(pdp_problem_set_real(problem, "p", cases[c].items, 4, 0), PDP_OK);
        for (int m = 0; m < 2; m++) {
            char type[16];
            const char *method = m == 0 ? "sequential" : problem->shape == PDP_INTERVAL ? "tiles" : "blocks";
            pdp_solution *solution = try_solve(problem, method, NULL, type);
            const char *why = pdp_solution_error(solution);
            CHECK(cases[c].is_fine ? *why == '\0' : strstr(why, "not a number") != NULL, "%s by %s: '%s', value %g",
                  cases[c].text, method, why, pdp_solution_real_value(solution));
            pdp_solution_free(solution);
        }
        pdp_problem_free(problem);
    }
    pdp_problem *additive =
        parse("interval a\n type f64\n input p[n]\n size n\n leaf 0\n term l + r + p[i]*p[k]*p[j]\n combine min\n");
    const double items[] = {1.5, -2, 1e9, 3};
    assert_int_equal(pdp_problem_set_real(additive, "p", items, 4, 0), PDP_OK);
    assert_int_equal(pdp_problem_check(additive), PDP_OK);
    assert_true(pdp_bounds_find(additive).reach < PDP_UNBOUNDED);
    pdp_problem_free(additive);
}

/* The last letter of an alphabet is an index too. */
static void test_letters(void **unused) {
    (void)unused;
    pdp_problem *problem = parse("interval a\n input s[n] in \"ABC\"\n input t[2]\n size n + 1\n leaf t[s[i]]\n "
                                 "term l + r\n combine min\n");
    const int64_t two[] = {1, 2};
    static const char *const methods[] = {"sequential", "tiles"};
    assert_int_equal(pdp_problem_set_text(problem, "s", "ABCAB", 5), PDP_OK);
    give(problem, "t", two, 2, 0);
    for (size_t m = 0; m < 2; m++) {
        char type[16];
        pdp_solution *solution = try_solve(problem, methods[m], NULL, type);
        CHECK(strstr(pdp_solution_error(solution), "t"), "by %s: '%s'", methods[m], pdp_solution_error(solution));
        pdp_solution_free(solution);
    }
    pdp_problem_free(problem);
}

/* What is not split all through has no order of matrices. */
static void test_order_of_options(void **unused) {
    (void)unused;
    static const int64_t items[] = {1, 2, 3};
    char type[16];
    pdp_problem *problem = parse("interval a\n input p[n]\n size n\n empty 0\n leaf 0\n term l + r\n "
                                 "option inside + 1\n combine max\n report parens\n");
    give(problem, "p", items, 3, 0);
    pdp_solution *solution = try_solve(problem, "sequential", NULL, type);
    size_t count = 0;
    assert_true(pdp_solution_value(solution) == 1);
    assert_non_null(pdp_solution_decisions(solution, &count));
    assert_int_equal(count, 1);
    assert_null(pdp_solution_order(solution));
    pdp_solution_free(solution);
    pdp_problem_free(problem);
}

static void check_expression(const char *text, size_t size, uint64_t *random) {
    char type[16];
    int64_t row[MOST];
    int64_t other[MOST];
    double reals[MOST];
    double others[MOST];
    pdp_problem *problem = make_expression(text, size, random);
    const bool is_interval = problem->shape == PDP_INTERVAL;
    pdp_solution *a = try_solve(problem, "sequential", NULL, type);
    pdp_solution *b = try_solve(problem, is_interval ? "tiles" : "blocks", NULL, type);
    CHECK(strcmp(pdp_solution_error(a), pdp_solution_error(b)) == 0, "%s: '%s' and '%s'", text, pdp_solution_error(a),
          pdp_solution_error(b));
    const bool is_real = pdp_solution_is_real(a);
    for (size_t i = 0; i < (is_interval ? size : 1) && *pdp_solution_error(a) == '\0'; i++) {
        assert_int_equal((is_real ? pdp_solution_real_row(a, i, reals, size) : pdp_solution_row(a, i, row, size)), 0);
        assert_int_equal((is_real ? pdp_solution_real_row(b, i, others, size) : pdp_solution_row(b, i, other, size)),
                         0);
        for (size_t j = 0; j < size; j++) {
            CHECK(is_real ? fabs(reals[j] - others[j]) < 1e-5 * (1 + fabs(reals[j])) || reals[j] == others[j]
                          : row[j] == other[j],
                  "%s%s, %zu points: cell (%zu,%zu) is %" PRId64 " or %g, not %" PRId64 " or %g", text, type, size, i,
                  j, other[j], others[j], row[j], reals[j]);
        }
    }
    pdp_solution_free(a);
    pdp_solution_free(b);
    pdp_problem_free(problem);
}

static void test_expressions(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++) {
        check_expression(expressions[e], 90, &random); /* of another size it may need another type, and a kernel more */
    }
}

/* ---- Types at the edges of their range ---- */

/* S-DP by min does nothing with its presets but copy them: the bound is their largest size. */
static pdp_problem *make_copies(const int64_t *presets, size_t count) {
    pdp_problem *problem = load("sdp");
    give(problem, "init", presets, count, 0);
    give_one(problem, "a", (int64_t)count);
    give_one(problem, "n", 3 * (int64_t)count);
    assert_int_equal(pdp_problem_set_text(problem, "op", "min", 3), PDP_OK);
    return problem;
}

static const struct type_limit {
    const char *type;
    int64_t most;
    int64_t most_that_miss; /* if cells may be infeasible */
} limits[] = {{"i32", INT32_MAX, INT32_MAX / 8},
              {"f32", 1 << 24, 1 << 24},
              {"i64", INT64_MAX, INT64_MAX / 8},
              {"f64", INT64_C(1) << 53, INT64_C(1) << 53}};

/* A type is accepted for all that it holds, gives it back, and is refused for one more. */
static void test_type_limits(void **unused) {
    (void)unused;
    for (size_t t = 0; t < sizeof limits / sizeof *limits; t++) {
        const int64_t most = limits[t].most;
        for (int64_t more = 0; more < 2 && most <= INT64_MAX - more; more++) {
            const int64_t presets[] = {most + more, most - 1, -most, -(most - 1), 0, -1, most / 2 + 1};
            pdp_problem *problem = make_copies(presets, 7);
            char type[16] = "";
            pdp_solution *solution = try_solve(problem, "blocks", limits[t].type, type);
            CHECK((solution != NULL) == (more == 0), "%s, %" PRId64, limits[t].type, most + more);
            for (size_t i = 0; solution && i < 21; i++) {
                assert_string_equal(type, limits[t].type);
                CHECK(pdp_solution_cell(solution, 0, i).whole == presets[i % 7], "%s: cell %zu", type, i);
            }
            pdp_solution_free(solution);
            solution = try_solve(problem, "blocks", NULL, type); /* whatever the plan thinks is right */
            for (size_t i = 0; i < 21; i++) {
                CHECK(pdp_solution_cell(solution, 0, i).whole == presets[i % 7], "auto (%s): cell %zu", type, i);
            }
            pdp_solution_free(solution);
            pdp_problem_free(problem);
        }
    }
    const int64_t least[] = {INT64_MIN, INT64_MAX}; /* 64 bits hold it, though they do not hold its size */
    pdp_problem *problem = make_copies(least, 2);
    char type[16];
    pdp_solution *solution = try_solve(problem, "blocks", "i64", type);
    assert_string_equal(type, "checked");
    for (size_t i = 0; i < 6; i++) {
        assert_true(pdp_solution_cell(solution, 0, i).whole == least[i % 2]);
    }
    pdp_solution_free(solution);
    pdp_problem_free(problem);
}

/* Values near the largest, beside cells that no value reaches: they must not be taken for each other. */
static void test_infeasible_limits(void **unused) {
    (void)unused;
    static const char *const text[] = {"linear least\n input w[k]\n input a[k] >= 1\n param n\n size n\n preset 1 : 0\n"
                                       " missing skip\n offset a[j]\n term s + w[j]\n combine min\n",
                                       "linear most\n input w[k]\n input a[k] >= 1\n param n\n size n\n preset 1 : 0\n"
                                       " missing skip\n offset a[j]\n term s + w[j]\n combine max\n"};
    static const int64_t offsets[] = {2, 6};
    for (size_t t = 0; t < sizeof limits / sizeof *limits; t++) {
        for (int sign = 0; sign < 4; sign++) {
            pdp_problem *problem = parse(text[sign / 2]);
            /* Four steps fit into 7 cells, and one is added to them on the way: five times the weight. */
            const int64_t weight = (limits[t].most_that_miss / 5) * (sign % 2 == 0 ? 1 : -1);
            const int64_t weights[] = {weight, weight / 2};
            give(problem, "w", weights, 2, 0);
            give(problem, "a", offsets, 2, 0);
            give_one(problem, "n", 7);
            char type[16] = "";
            pdp_solution *solution = try_solve(problem, "blocks", limits[t].type, type);
            CHECK(solution && strcmp(type, limits[t].type) == 0, "%s: refused", limits[t].type);
            const bool is_direct = (sign / 2 == 0) == (sign % 2 == 0); /* one step of 6 is better than three of 2 */
            const int64_t none = sign < 2 ? INT64_MAX : INT64_MIN;
            const int64_t expected[] = {0, none, weight, none, 2 * weight, none, is_direct ? weight / 2 : 3 * weight};
            int64_t cells[7];
            assert_int_equal(pdp_solution_row(solution, 0, cells, 7), PDP_OK);
            for (size_t i = 0; i < 7; i++) {
                CHECK(cells[i] == expected[i], "%s, case %d: cell %zu is %" PRId64 ", not %" PRId64, type, sign, i,
                      cells[i], expected[i]);
            }
            pdp_solution_free(solution);
            pdp_problem_free(problem);
        }
    }
}

typedef struct edge_case {
    pdp_problem *problem;
    size_t columns;
    bool is_interval;
    size_t overflow; /* the textbook's first cell that does not fit, or PDP_TEXTBOOK_FITS */
    int64_t table[MOST * MOST];
} edge_case;

static void draw(int64_t *out, size_t count, uint64_t *random, int64_t low, int64_t high) {
    for (size_t m = 0; m < count; m++) {
        out[m] = pdp_random_between(random, low, high);
    }
}

/* Interval problems whose values come near `most`. */
static void make_interval_edge(edge_case *e, size_t kind, int64_t most, uint64_t *random) {
    int64_t a[MOST];
    int64_t b[MOST];
    const size_t n = (size_t)pdp_random_between(random, 2, 40);
    e->is_interval = true;
    if (kind == 0) {
        int64_t side = 1;
        while (side < 2000000 && (side + 1) * (side + 1) * (side + 1) <= most / (int64_t)n) {
            side++;
        }
        const int64_t largest = side > 8 ? side + pdp_random_between(random, -6, 2) : side;
        draw(a, n + 1, random, largest > 3 ? largest - 3 : 1, largest);
        e->problem = load("mcm");
        give(e->problem, "p", a, n + 1, 0);
        e->columns = n + 1;
        e->overflow = pdp_textbook_solve_mcm(a, n, e->table);
    } else if (kind == 1) {
        const int64_t item = most / (int64_t)(n * n);
        draw(a, n, random, item / 2, item);
        draw(b, n + 1, random, item / 2, item);
        e->problem = load("obst");
        give(e->problem, "p", a, n, 0);
        give(e->problem, "q", b, n + 1, 0);
        e->columns = n + 2;
        e->overflow = pdp_textbook_solve_obst(a, b, n, e->table);
    } else {
        const int64_t item = most / (int64_t)(2 * n);
        draw(a, n, random, 0, item);
        e->problem = load("merge");
        give(e->problem, "w", a, n, 0);
        e->columns = n + 1;
        e->overflow = pdp_textbook_solve_merge(a, n, e->table);
    }
}

/* Linear ones. */
static void make_linear_edge(edge_case *e, size_t kind, int64_t most, uint64_t *random) {
    int64_t a[MOST];
    int64_t b[MOST];
    int64_t w[MOST];
    const size_t n = (size_t)pdp_random_between(random, 2, 60);
    const size_t k = (size_t)pdp_random_between(random, 1, 5);
    e->is_interval = false;
    e->columns = n;
    draw(a, k, random, 1, (int64_t)n / 2);
    if (kind == 3) {
        draw(b, k, random, 0, most / (int64_t)n * 2);
        e->problem = load("knapsack");
        give(e->problem, "weight", a, k, 0);
        give(e->problem, "value", b, k, 0);
        give_one(e->problem, "capacity", (int64_t)n - 1);
        e->overflow = pdp_textbook_solve_knapsack(a, b, k, n - 1, e->table);
    } else if (kind == 4) {
        draw(b, k, random, -most / (int64_t)n * 2, most / (int64_t)n * 2);
        e->problem = load("rod");
        give(e->problem, "price", b, k, 0);
        give_one(e->problem, "length", (int64_t)n - 1);
        e->overflow = pdp_textbook_solve_rod(b, k, n - 1, e->table);
    } else if (kind == 5) {
        e->problem = load("compositions");
        give(e->problem, "part", a, k, 0);
        give_one(e->problem, "total", (int64_t)n - 1);
        e->overflow = pdp_textbook_solve_compositions(a, k, n - 1, 0, e->table);
    } else { /* S-DP: plain, added, scaled */
        static const pdp_operator operators[] = {PDP_ADD, PDP_MUL, PDP_MIN, PDP_MAX, PDP_ADD};
        static const char *const names[] = {"sdp", "sdp", "sdp_added", "sdp_added", "sdp_scaled"};
        pdp_sdp sdp = {.n = n, .offsets = a, .offset_count = k, .presets = b, .op = operators[kind - 6]};
        for (size_t j = 1; j < k; j++) {
            a[0] = a[j] > a[0] ? a[j] : a[0];
        }
        sdp.preset_count = (size_t)a[0];
        draw(b, sdp.preset_count, random, -most / 4, most / 4);
        draw(w, k, random, kind == 10 ? -2 : -most / (int64_t)n, kind == 10 ? 2 : most / (int64_t)n);
        e->problem = load(names[kind - 6]);
        give(e->problem, "a", a, k, 0);
        give(e->problem, "init", b, sdp.preset_count, 0);
        give_one(e->problem, "n", (int64_t)n);
        const char *op = pdp_operator_name(sdp.op);
        assert_int_equal(pdp_problem_set_text(e->problem, "op", op, strlen(op)), PDP_OK);
        if (kind > 7) {
            give(e->problem, "w", w, k, 0);
        }
        e->overflow = pdp_textbook_solve_sdp(&sdp, kind > 7 ? w : NULL, NULL, e->table);
    }
}

/* The textbook's table, or its first cell that does not fit, named. */
static void check_edge(const edge_case *e, const pdp_solution *solution, const char *how) {
    char cell[64];
    if (e->overflow != PDP_TEXTBOOK_FITS) {
        if (e->is_interval) {
            snprintf(cell, sizeof cell, "cell (%zu, %zu):", e->overflow / e->columns, e->overflow % e->columns);
        } else {
            snprintf(cell, sizeof cell, "cell %zu:", e->overflow);
        }
        CHECK(strncmp(pdp_solution_error(solution), cell, strlen(cell)) == 0, "%s of %s: expected %s found '%s'", how,
              e->problem->recurrence->name, cell, pdp_solution_error(solution));
        return;
    }
    CHECK(*pdp_solution_error(solution) == '\0', "%s of %s: %s", how, e->problem->recurrence->name,
          pdp_solution_error(solution));
    int64_t row[MOST];
    for (size_t i = 0; i < (e->is_interval ? e->columns : 1); i++) {
        assert_int_equal(pdp_solution_row(solution, i, row, e->columns), PDP_OK);
        for (size_t j = 0; j < e->columns; j++) {
            CHECK(row[j] == e->table[i * e->columns + j], "%s of %s: cell (%zu,%zu) is %" PRId64 ", not %" PRId64, how,
                  e->problem->recurrence->name, i, j, row[j], e->table[i * e->columns + j]);
        }
    }
}

/* Data whose values come near the ends of the types, from both sides: the table is the textbook's whatever type is
 * taken, and what does not fit into int64 is reported at the same cell by all. */
static void test_random_edges(void **unused) {
    (void)unused;
    static edge_case e;
    static const char *const types[] = {NULL, "i64", "i32", "f64", "f32"};
    uint64_t random = test_seed();
    size_t seen[7] = {0};
    size_t overflows = 0;
    for (size_t round = 0; round < campaign(800, 22000); round++) {
        static const int bits[] = {24, 31, 52, 53, 62, 63};
        const int64_t most = (int64_t)((UINT64_C(1) << bits[pdp_random_between(&random, 0, 5)]) - 1);
        const size_t kind = round % 11;
        (kind < 3 ? make_interval_edge : make_linear_edge)(&e, kind, most, &random);
        const char *engine = e.is_interval ? "tiles" : "blocks";
        char type[16] = "";
        pdp_solution *solution = try_solve(e.problem, "sequential", NULL, type);
        check_edge(&e, solution, "sequential");
        pdp_solution_free(solution);
        for (size_t t = 0; t < (kind == 0 ? 5 : 2); t++) { /* the chain has kernels of all types */
            solution = try_solve(e.problem, engine, types[t], type);
            if (solution) {
                check_edge(&e, solution, type);
                static const char *const names[] = {"i32", "i64", "f32", "f64", "checked"};
                for (size_t n = 0; n < 5; n++) {
                    seen[n] += strcmp(names[n], type) == 0;
                }
            }
            pdp_solution_free(solution);
        }
        overflows += e.overflow != PDP_TEXTBOOK_FITS;
        pdp_problem_free(e.problem);
    }
    for (size_t n = 0; n < 5; n++) {
        CHECK(seen[n] > campaign(2, 100), "type %zu was met %zu times", n, seen[n]);
    }
    CHECK(overflows > 50, "%zu overflows", overflows);
}

/* ---- Many callers ---- */

enum { CALLERS = 8 };

typedef struct caller {
    const pdp_plan *plan;    /* of the shared problem */
    const int64_t *expected; /* its table */
    uint64_t seed;           /* of its own */
    size_t rounds;
} caller;

static bool run_shared(const caller *c) {
    pdp_solution *solution;
    bool good = pdp_plan_run(c->plan, &solution) == PDP_OK;
    size_t rows;
    size_t columns;
    const int64_t *table = pdp_solution_table(solution, &rows, &columns);
    good = good && table && memcmp(table, c->expected, rows * columns * sizeof *table) == 0;
    pdp_solution_free(solution);
    return good;
}

/* A chain of its own, with more threads than there are cores. */
static bool run_own(const caller *c, size_t round) {
    uint64_t random = c->seed + round;
    int64_t dims[201];
    for (size_t m = 0; m < 201; m++) {
        dims[m] = pdp_random_between(&random, 1, 100);
    }
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = "tiles";
    options.type = "i32";
    options.threads = 3;
    pdp_problem *problem;
    pdp_plan *plan;
    pdp_plan *other;
    pdp_solution *solution;
    pdp_solution *check;
    bool good = pdp_problem_create_mcm(&problem, dims, 201) == PDP_OK;
    good = pdp_plan_create(&plan, problem, &options) == PDP_OK && good;
    good = pdp_plan_run(plan, &solution) == PDP_OK && good;
    options = (pdp_options)PDP_OPTIONS_DEFAULT;
    options.algorithm = "hu-shing";
    good = pdp_plan_create(&other, problem, &options) == PDP_OK && good;
    good = pdp_plan_run(other, &check) == PDP_OK && good;
    good = good && pdp_solution_value(solution) == pdp_solution_value(check);
    pdp_solution_free(solution);
    pdp_solution_free(check);
    pdp_plan_free(plan);
    pdp_plan_free(other);
    pdp_problem_free(problem);
    return good;
}

static void *call(void *argument) {
    const caller *c = argument;
    bool good = true;
    for (size_t round = 0; round < c->rounds; round++) {
        good = run_shared(c) && run_own(c, round) && good;
    }
    return good ? argument : NULL;
}

static void run_callers(const pdp_problem *problem, const char *algorithm, int threads) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = algorithm;
    options.threads = threads;
    options.type = "i32";
    pdp_solution *expected = solve(problem, "sequential", NULL);
    pdp_plan *plan;
    CHECK(pdp_plan_create(&plan, problem, &options) == PDP_OK, "%s", pdp_plan_error(plan));
    assert_int_equal(pdp_plan_threads(plan), threads);
    pthread_t ids[CALLERS];
    caller callers[CALLERS];
    for (size_t c = 0; c < CALLERS; c++) {
        callers[c] = (caller){plan, pdp_solution_table(expected, NULL, NULL), test_seed() + 1000 * c, campaign(3, 100)};
        assert_int_equal(pthread_create(&ids[c], NULL, call, &callers[c]), 0);
    }
    for (size_t c = 0; c < CALLERS; c++) {
        void *result;
        assert_int_equal(pthread_join(ids[c], &result), 0);
        CHECK(result, "caller %zu of %s with %d threads had another result", c, algorithm, threads);
    }
    pdp_plan_free(plan);
    pdp_solution_free(expected);
}

/* Offsets far apart make long blocks, of several sizes by the type; some are near, some beyond a block's length. */
static void test_long_blocks(void **unused) {
    (void)unused;
    enum { CELLS = 420000, TERMS = 24 };
    static int64_t presets[400000], offsets[TERMS], weights[TERMS];
    uint64_t random = test_seed();
    static const char *const types[] = {"i32", "i64", "f64"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const size_t greatest = (size_t)pdp_random_between(&random, 250000, 400000);
        pdp_problem *problem = load("sdp_added");
        for (size_t j = 0; j < TERMS; j++) {
            offsets[j] = pdp_random_between(&random, 1, j < 2 ? 99 : j < 6 ? 20000 : (int64_t)greatest);
            weights[j] = pdp_random_between(&random, -99, 99);
        }
        for (size_t i = 0; i < greatest; i++) {
            presets[i] = pdp_random_between(&random, -9999, 9999);
        }
        offsets[TERMS - 1] = (int64_t)greatest;
        give(problem, "a", offsets, TERMS, 0);
        give(problem, "w", weights, TERMS, 0);
        give(problem, "init", presets, greatest, 0);
        give_one(problem, "n", CELLS);
        assert_int_equal(pdp_problem_set_text(problem, "op", t == 1 ? "max" : "min", 3), PDP_OK);
        pdp_solution *expected = solve(problem, "sequential", NULL);
        const int64_t *right = pdp_solution_table(expected, NULL, NULL);
        for (int threads = 1; threads <= 3; threads += 2) {
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.type = types[t];
            options.threads = threads;
            pdp_solution *found = solve(problem, "blocks", &options);
            const int64_t *table = pdp_solution_table(found, NULL, NULL);
            size_t i = 0;
            while (i < CELLS && table[i] == right[i]) {
                i++;
            }
            CHECK(i == CELLS, "%s, %d threads: cell %zu is %" PRId64 ", not %" PRId64, types[t], threads, i, table[i],
                  right[i]);
            pdp_solution_free(found);
        }
        pdp_solution_free(expected);
        pdp_problem_free(problem);
    }
}

/* Eight callers at once, each of whom starts threads, on one plan and on problems of their own. */
static void test_callers(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    static const int threads[] = {1, 3, 8};
    pdp_problem *chain = make_points("mcm", 150, &random);
    pdp_problem *line = load("sdp_added");
    give_random(line, "a", 100, 0, &random, 1, 300);
    give_random(line, "init", 300, 0, &random, -99, 99);
    give_random(line, "w", 100, 0, &random, -99, 99);
    give_one(line, "n", 2000);
    assert_int_equal(pdp_problem_set_text(line, "op", "min", 3), PDP_OK);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        run_callers(chain, "tiles", threads[t]);
        run_callers(line, "blocks", threads[t]);
    }
    pdp_problem_free(chain);
    pdp_problem_free(line);
}

/* ---- Progress ---- */

static void sleep_for(long milliseconds) {
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

static void finish_slowly(const void *data, const pdp_tile_frame *frame, void *scratch) {
    (void)data, (void)frame, (void)scratch;
    sleep_for(2);
}

/* A kernel whose tiles take two milliseconds each: 55 of them. */
static pdp_status run_slow_tiles(listener *l, int threads) {
    pdp_interval_kernel kernel = nothing;
    pdp_tiles tiles = {.points = 10, .tile = 1, .panel = 1, .cell_bytes = 1};
    pdp_error error = {0};
    kernel.finish = finish_slowly;
    assert_int_equal(pdp_tiles_allocate(&tiles, &error), PDP_OK);
    const pdp_interval_run run = {.kernel = &kernel, .threads = threads, .progress = {hear, l}};
    const pdp_status status = pdp_interval_solve(&run, &tiles, &error);
    pdp_tiles_free(&tiles);
    assert_int_equal(status, error.status);
    return status;
}

static void preset_nothing(const pdp_kernel_data *data, void *table, int64_t begin, int64_t end) {
    (void)data;
    memset((unsigned char *)table + begin, 0, (size_t)(end - begin));
}

static void weigh_nothing(const pdp_kernel_data *data, const int64_t *numbers, int64_t count, void *weights) {
    (void)data, (void)numbers, (void)count, (void)weights;
}

static void open_nothing(const pdp_kernel_data *data, const pdp_linear_block *block) {
    memset((unsigned char *)block->sums + (block->begin - block->first), 0, (size_t)(block->end - block->begin));
    (void)data;
}

static void accumulate_slowly(const pdp_kernel_data *data, const pdp_linear_block *block, const pdp_linear_terms *terms,
                              const void *table, int64_t cell, int64_t vectors) {
    (void)data, (void)block, (void)terms, (void)table, (void)cell, (void)vectors;
    nanosleep(&(struct timespec){0, 1000}, NULL);
}

static void finish_cells(const pdp_kernel_data *data, const pdp_linear_block *block, const pdp_linear_near *near,
                         void *table, int64_t first, int64_t end) {
    (void)data, (void)near, (void)block;
    memset((unsigned char *)table + first, 0, (size_t)(end - first));
}

/* The same for cells: a thousand terms for each of 8,000, two threads' worth. */
static pdp_status run_slow_blocks(listener *l, unsigned threads) {
    enum { CELLS = 9000, TERMS = 4000 };
    static const pdp_linear_kernel kernel = {.element_bytes = 1,
                                             .lanes = 1,
                                             .group = 16,
                                             .preset = preset_nothing,
                                             .weigh = weigh_nothing,
                                             .open = open_nothing,
                                             .accumulate = accumulate_slowly,
                                             .finish = finish_cells};
    static int64_t offsets[TERMS];
    for (size_t j = 0; j < TERMS; j++) {
        offsets[j] = (int64_t)j + 1;
    }
    const pdp_linear_job job = {.kernel = &kernel,
                                .cells = CELLS,
                                .preset_count = TERMS,
                                .offsets = offsets,
                                .offset_count = TERMS,
                                .threads = threads};
    pdp_error error = {0};
    void *table = pdp_pages_allocate(pdp_linear_table_bytes(&job), &error);
    assert_non_null(table);
    const pdp_status status = pdp_linear_solve(&job, table, (pdp_progress){hear, l}, &error);
    assert_int_equal(status, error.status);
    free(table);
    return status;
}

/* A run of a tenth of a second tells how far it is, never going back; the call that says so ends it. */
static void test_progress(void **unused) {
    (void)unused;
    for (int engine = 0; engine < 2; engine++) {
        for (int threads = 1; threads <= 3; threads++) {
            for (size_t stop_at = 0; stop_at < 3; stop_at++) {
                listener l = {.stop_at = stop_at, .is_monotone = true};
                const pdp_status status =
                    engine == 0 ? run_slow_tiles(&l, threads) : run_slow_blocks(&l, (unsigned)threads);
                CHECK(l.is_monotone, "engine %d, %d threads: the share went to %g", engine, threads, l.last);
                if (stop_at > 1 && threads > 1 && l.calls == 1) { /* the thread that tells it was held up by others */
                    CHECK(status == PDP_OK, "engine %d, %d threads: cancelled too early", engine, threads);
                } else if (stop_at > 0) {
                    CHECK(status == PDP_CANCELLED && l.calls == stop_at, "engine %d, %d threads: %zu calls", engine,
                          threads, l.calls);
                } else {
                    CHECK(status == PDP_OK && l.calls > 0, "engine %d, %d threads: %zu calls", engine, threads,
                          l.calls);
                }
            }
        }
    }
}

/* The same through the plan: a cancelled solution holds nothing but the reason. */
static void test_cancelled_plan(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    for (int engine = 0; engine < 2; engine++) {
        pdp_problem *problem = load(engine == 0 ? "mcm" : "filter");
        static int64_t dims[100000];
        static double signal[100000];
        draw(dims, 100000, &random, 1, 9);
        if (engine == 0) {
            give(problem, "p", dims, 1500, 0);
        } else {
            assert_int_equal(pdp_problem_set_real(problem, "x", signal, 100000, 0), PDP_OK);
            assert_int_equal(pdp_problem_set_real(problem, "w", signal, 4000, 0), PDP_OK);
            for (size_t j = 0; j < 4000; j++) {
                dims[j] = 3 * (int64_t)j + 1;
            }
            give(problem, "a", dims, 4000, 0);
        }
        listener l = {.stop_at = 1, .is_monotone = true};
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = engine == 0 ? "tiles" : "blocks";
        options.type = engine == 0 ? "i32" : NULL;
        options.threads = 2;
        options.on_progress = hear;
        options.context = &l;
        pdp_plan *plan;
        pdp_solution *solution;
        CHECK(pdp_plan_create(&plan, problem, &options) == PDP_OK, "%s", pdp_plan_error(plan));
        const pdp_status status = pdp_plan_run(plan, &solution);
        CHECK(status == (l.calls > 0 ? PDP_CANCELLED : PDP_OK) && l.calls <= 1, "status %d, %zu calls", (int)status,
              l.calls);
        CHECK(l.calls > 0 || pdp_solution_seconds(solution) < 0.1, "%g s, and no call", pdp_solution_seconds(solution));
        if (l.calls > 0) {
            assert_string_equal(pdp_solution_error(solution), "cancelled by the progress callback");
            assert_null(pdp_solution_table(solution, NULL, NULL));
            assert_null(pdp_solution_decisions(solution, NULL));
        }
        pdp_solution_free(solution);
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tile_sizes),   cmocka_unit_test(test_group_sizes),
        cmocka_unit_test(test_trace),        cmocka_unit_test(test_damaged_trace),
        cmocka_unit_test(test_large_orders), cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_failures),     cmocka_unit_test(test_no_number),
        cmocka_unit_test(test_letters),      cmocka_unit_test(test_order_of_options),
        cmocka_unit_test(test_type_limits),  cmocka_unit_test(test_infeasible_limits),
        cmocka_unit_test(test_random_edges), cmocka_unit_test(test_callers),
        cmocka_unit_test(test_progress),     cmocka_unit_test(test_cancelled_plan),
        cmocka_unit_test(test_long_blocks),
    };
    return cmocka_run_group_tests_name("engines", tests, NULL, NULL);
}
