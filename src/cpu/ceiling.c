#include "cpu/ceiling.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "cpu/data.h"
#include "cpu/kernel_ceiling_abi.h"

struct pdp_ceiling {
    pdp_module *module;
    const pdp_ceiling_kernel *kernel;
    pdp_data data;
    void *operands;
    double bound; /* updates a cycle, 0 if not known */
    const char *assumed;
    pdp_error error;
};

/* ---- The port bound ---- */

/* Slots of vector pipes that an update takes. */
typedef struct slots {
    double all;
    double heavy; /* of these, what only some of the pipes can do */
    double sums;  /* and what only others can: sums, least and greatest of floats */
    bool is_known;
} slots;

typedef struct pipes {
    double all;
    double heavy;
    double sums;
    double bits;        /* that one handles in a cycle */
    double mul[2];      /* slots of a product of 32- and 64-bit integers */
    const char *assume; /* in words */
} pipes;

static pipes find_pipes(pdp_level level, bool floats) {
#if defined(__x86_64__)
    static const pipes amd = {4,
                              2,
                              2,
                              256,
                              {1, 1},
                              "4 vector pipes of 256 bits: 2 do products and least and greatest 64-bit integers, the "
                              "others sums, least and greatest of floats (AMD Zen 2 to 4)"};
    static const pipes wide = {
        2, 2, 2, 512, {2, 3}, "2 vector pipes of 512 bits, integer products taking 2 slots or (64 bits) 3 (Intel)"};
    static const pipes narrow_floats = {2, 2, 2, 256, {2, 3}, "2 pipes of 256 bits for floats (Intel)"};
    static const pipes narrow = {3, 2, 3, 256, {2, 3}, "3 pipes of 256 bits for integers, 2 for products (Intel)"};
    __builtin_cpu_init();
    return __builtin_cpu_is("amd") ? amd : level == PDP_LEVEL_V4 ? wide : floats ? narrow_floats : narrow;
#else
    (void)level;
    (void)floats;
    return (pipes){0};
#endif
}

static void add_slots(slots *s, double count, bool is_heavy) {
    s->all += count;
    s->heavy += is_heavy ? count : 0;
}

/* Operations whose instructions we know: one each but for products of integers. */
static void add_operation(slots *s, const pdp_stamp *stamp, const pipes *p, pdp_op op) {
    const bool floats = stamp->type == PDP_TYPE_F32 || stamp->type == PDP_TYPE_F64;
    const bool is_long = stamp->type == PDP_TYPE_I64 || stamp->type == PDP_TYPE_U64;
    switch (op) {
    case PDP_OP_MIN:
    case PDP_OP_MAX:
        add_slots(s, 1, is_long);
        s->sums += floats ? 1 : 0;
        break;
    case PDP_OP_ADD:
    case PDP_OP_SUBTRACT:
        s->sums += floats ? 1 : 0;
        add_slots(s, stamp->modular ? 2 : 1, false);
        add_slots(s, stamp->modular ? 1 : 0, is_long); /* the lesser of a sum and of what the modulus leaves of it */
        break;
    case PDP_OP_MUL: add_slots(s, floats ? 1 : p->mul[is_long], true); break;
    case PDP_OP_AND:
    case PDP_OP_OR:
    case PDP_OP_XOR: add_slots(s, 1, false); break;
    default: s->is_known = false;
    }
}

/* Known before the innermost loop, or a cell. */
static bool is_operand(const pdp_recurrence *r, const pdp_node *n) {
    const uint8_t all = r->shape == PDP_INTERVAL ? PDP_USES_I | PDP_USES_K | PDP_USES_J : PDP_USES_I | PDP_USES_J;
    return n->kind == PDP_NODE_CELL || (n->uses & all) != all;
}

static void count_slots(slots *s, const pdp_recurrence *r, const pdp_stamp *stamp, const pipes *p, uint32_t node) {
    const pdp_node *n = &r->nodes[node];
    if (is_operand(r, n)) {
        return;
    }
    switch (n->kind) {
    case PDP_NODE_BINARY:
    case PDP_NODE_CALL: add_operation(s, stamp, p, n->op); break;
    case PDP_NODE_MULADD:
        if (stamp->short_products) {
            add_slots(s, 1, true);
        } else {
            add_operation(s, stamp, p, PDP_OP_MUL);
            const bool fuses = stamp->type == PDP_TYPE_F32 || stamp->type == PDP_TYPE_F64;
            add_slots(s, fuses ? 0 : 1, false);
        }
        break;
    default: s->is_known = false; return;
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        count_slots(s, r, stamp, p, n->child[c]);
    }
}

static void find_bound(pdp_ceiling *ceiling, const pdp_recurrence *r, const pdp_stamp *stamp, pdp_level level) {
    const bool floats = stamp->type == PDP_TYPE_F32 || stamp->type == PDP_TYPE_F64;
    const bool is_long = pdp_machine_type_bytes(stamp->type) == 8;
    const pipes p = find_pipes(level, floats);
    const pdp_node *inner = &r->nodes[r->inner];
    const bool fuses =
        floats && stamp->combine == PDP_OP_ADD && inner->kind == PDP_NODE_BINARY && inner->op == PDP_OP_MUL;
    slots s = {.is_known = p.all > 0 && pdp_emit_is_vector(r, stamp)};
    /* What a level lacks is done by several instructions. */
    s.is_known &= level == PDP_LEVEL_V4 || (level == PDP_LEVEL_V3 && (floats || !is_long));
    count_slots(&s, r, stamp, &p, r->inner);
    if (!fuses) {
        add_operation(&s, stamp, &p, stamp->combine);
    }
    if (s.is_known) {
        const double cycles = fmax(s.all / p.all, fmax(s.heavy / p.heavy, s.sums / p.sums));
        ceiling->bound = p.bits / 8 / (double)pdp_machine_type_bytes(stamp->type) / cycles;
        ceiling->assumed = p.assume;
    }
}

/* ---- The measurement ---- */

static pdp_status compile(pdp_ceiling *ceiling, const pdp_problem *problem, const pdp_stamp *stamp, pdp_level level) {
    pdp_error *error = &ceiling->error;
    size_t length = 0;
    char *text = pdp_ceiling_text(problem->recurrence, stamp, &length);
    if (!text) {
        return pdp_error_set_no_memory(error, PDP_MAX_TEXT);
    }
    if (pdp_module_open(&ceiling->module, text, length, pdp_level_flags(level, stamp), error) == PDP_OK) {
        ceiling->kernel = pdp_module_symbol(ceiling->module, "pdp_kernel");
    }
    free(text);
    return error->status;
}

pdp_status pdp_ceiling_open(pdp_ceiling **out, const pdp_problem *problem, const pdp_stamp *stamp, pdp_level level) {
    pdp_ceiling *ceiling = *out = calloc(1, sizeof *ceiling);
    if (!ceiling) {
        return PDP_NO_MEMORY;
    }
    pdp_error *error = &ceiling->error;
    if (!problem || problem->n < 2) { /* the update is run at i=0, k=1, j=2 */
        return pdp_error_set(error, PDP_BAD_INPUT, "the plan has no kernel whose update could be measured");
    }
    if (compile(ceiling, problem, stamp, level) != PDP_OK ||
        pdp_data_create(&ceiling->data, problem, stamp, error) != PDP_OK) {
        return error->status;
    }
    ceiling->operands = pdp_pages_allocate((uint64_t)ceiling->kernel->bytes, error);
    if (ceiling->operands) {
        find_bound(ceiling, problem->recurrence, stamp, level);
    }
    return error->status;
}

const char *pdp_ceiling_error(const pdp_ceiling *ceiling) {
    return ceiling ? ceiling->error.text : "out of memory";
}

static bool is_good(const pdp_ceiling *ceiling) {
    return ceiling && ceiling->error.status == PDP_OK;
}

const char *pdp_ceiling_shape(const pdp_ceiling *ceiling, size_t shape) {
    return is_good(ceiling) && shape < (size_t)ceiling->kernel->shape_count ? ceiling->kernel->shapes[shape] : NULL;
}

double pdp_ceiling_run(pdp_ceiling *ceiling, size_t shape, uint64_t rounds) {
    if (!pdp_ceiling_shape(ceiling, shape)) {
        return 0;
    }
    ceiling->kernel->fill(ceiling->operands);
    return (double)ceiling->kernel->run(&ceiling->data.kernel, (int64_t)shape, ceiling->operands, (int64_t)rounds);
}

double pdp_ceiling_port_bound(const pdp_ceiling *ceiling, const char **assumed) {
    *assumed = is_good(ceiling) && ceiling->assumed ? ceiling->assumed : "";
    return is_good(ceiling) ? ceiling->bound : 0;
}

void pdp_ceiling_free(pdp_ceiling *ceiling) {
    if (ceiling) {
        pdp_module_close(ceiling->module);
        pdp_data_free(&ceiling->data);
        free(ceiling->operands);
        free(ceiling);
    }
}
