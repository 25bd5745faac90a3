#include "plan/type.h"

#include <string.h>

#include "problem/bound.h"

static const char *const type_names[] = {"i32", "i64", "f32", "f64"};

const char *pdp_type_name(const pdp_stamp *stamp, const pdp_problem *problem) {
    if (problem->element == PDP_ELEMENT_MOD) {
        return "mod";
    }
    if (problem->element == PDP_ELEMENT_BITS) {
        return "bits";
    }
    return stamp->type == PDP_TYPE_WIDE ? "checked" : type_names[stamp->type];
}

static pdp_status find_type(const char *name, pdp_machine_type *out, pdp_error *error) {
    for (int x = 0; x < 4; x++) {
        if (strcmp(type_names[x], name) == 0) {
            *out = (pdp_machine_type)x;
            return PDP_OK;
        }
    }
    return pdp_error_set(error, PDP_BAD_INPUT, "type '%.40s' is not known; there are auto, i32, i64, f32, f64", name);
}

/* ---- Whole numbers ---- */

/* The largest reach that a type holds exactly. Where a cell can be infeasible, infinity is half the largest number and
 * must stay apart from every value when a term is added to it. */
static pdp_wide type_reach(pdp_machine_type type, bool can_miss) {
    switch (type) {
    case PDP_TYPE_I32: return can_miss ? INT32_MAX / 8 : INT32_MAX;
    case PDP_TYPE_I64: return can_miss ? INT64_MAX / 8 : INT64_MAX;
    case PDP_TYPE_F32: return (pdp_wide)1 << 24;
    case PDP_TYPE_F64: return (pdp_wide)1 << 53;
    default: return PDP_UNBOUNDED;
    }
}

static bool multiplies(const pdp_recurrence *r, uint32_t node) {
    const pdp_node *n = &r->nodes[node];
    if (n->kind == PDP_NODE_MULADD || (n->kind == PDP_NODE_BINARY && n->op == PDP_OP_MUL)) {
        return true;
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        if (multiplies(r, n->child[c])) {
            return true;
        }
    }
    return false;
}

/* Fastest first, as measured (docs/performance.md): Intel's vectors multiply floats faster than integers; without
 * AVX-512, and on GPUs, there is no least of 64-bit integers. */
static void rank_types(pdp_machine_type ranked[4], bool products, pdp_level level, bool on_device) {
    static const pdp_machine_type plain[4] = {PDP_TYPE_I32, PDP_TYPE_F32, PDP_TYPE_I64, PDP_TYPE_F64};
    static const pdp_machine_type narrow[4] = {PDP_TYPE_I32, PDP_TYPE_F32, PDP_TYPE_F64, PDP_TYPE_I64};
    static const pdp_machine_type floats[4] = {PDP_TYPE_F32, PDP_TYPE_F64, PDP_TYPE_I32, PDP_TYPE_I64};
    bool is_intel = false;
#if defined(__x86_64__)
    __builtin_cpu_init();
    is_intel = __builtin_cpu_is("intel");
#endif
    const pdp_machine_type *best = on_device              ? narrow
                                   : products && is_intel ? floats
                                   : level < PDP_LEVEL_V4 ? narrow
                                                          : plain;
    memcpy(ranked, best, sizeof plain);
}

/* What holds for the values of all problems. Which operations they need is the recurrence's. */
static pdp_bounds find_bounds(const pdp_problem *const *problems, size_t count, size_t *widest) {
    pdp_bounds all = pdp_bounds_find(problems[0]);
    for (size_t x = 1; x < count; x++) {
        const pdp_bounds one = pdp_bounds_find(problems[x]);
        if (one.reach > all.reach) {
            all.reach = one.reach;
            *widest = x;
        }
        all.short_products &= one.short_products;
        all.needs_integers |= one.needs_integers;
    }
    return all;
}

static pdp_status choose_whole(pdp_stamp *stamp, const pdp_problem *const *problems, size_t count, const char *wish,
                               pdp_level level, size_t *widest, pdp_error *error) {
    const pdp_problem *problem = problems[0];
    const pdp_recurrence *r = problem->recurrence;
    const pdp_bounds bounds = find_bounds(problems, count, widest);
    const bool can_miss = stamp->can_miss;
    const bool products = multiplies(r, r->inner);
    const bool may_be_float = !bounds.needs_integers;
    pdp_machine_type ranked[4];
    rank_types(ranked, products, level, stamp->for_device);
    stamp->type = PDP_TYPE_WIDE;
    if (wish) {
        pdp_machine_type wished = PDP_TYPE_I64;
        if (find_type(wish, &wished, error) != PDP_OK) {
            return error->status;
        }
        bool is_float = wished == PDP_TYPE_F32 || wished == PDP_TYPE_F64;
        if (is_float && !may_be_float) {
            return pdp_error_set(error, PDP_BAD_INPUT, "type %s does not have the operations of %s", wish, r->name);
        }
        if (bounds.reach <= type_reach(wished, can_miss)) {
            stamp->type = wished;
        } else if (wished != PDP_TYPE_I64) { /* 64 bits that are not proven are checked */
            char which[40] = "";
            if (count > 1) {
                snprintf(which, sizeof which, "problem %zu: ", *widest + 1);
            }
            return pdp_error_set(error, PDP_BAD_INPUT,
                                 "%stype %s holds numbers up to %.6g, and %s may need up to %.6g%s", which, wish,
                                 (double)type_reach(wished, can_miss), r->name, (double)bounds.reach,
                                 bounds.reach >= PDP_UNBOUNDED ? " or more" : "");
        }
    } else {
        for (int x = 0; x < 4 && stamp->type == PDP_TYPE_WIDE; x++) {
            bool is_float = ranked[x] == PDP_TYPE_F32 || ranked[x] == PDP_TYPE_F64;
            if (bounds.reach <= type_reach(ranked[x], can_miss) && (may_be_float || !is_float)) {
                stamp->type = ranked[x];
            }
        }
    }
    if (problem->element == PDP_ELEMENT_I32 && bounds.reach > INT32_MAX) {
        stamp->type = PDP_TYPE_WIDE; /* so that what does not fit is seen */
    }
    stamp->short_products = stamp->type == PDP_TYPE_I64 && products && bounds.short_products && !stamp->for_device &&
                            pdp_level_has_short_products(level);
    return PDP_OK;
}

pdp_status pdp_type_choose(pdp_stamp *stamp, const pdp_problem *const *problems, size_t count, const char *type,
                           pdp_level level, bool on_device, size_t *widest, pdp_error *error) {
    const pdp_problem *problem = problems[0];
    const char *wish = type && strcmp(type, "auto") != 0 ? type : NULL;
    uint32_t options = 0;
    int64_t modulus = 0;
    *widest = 0;
    for (size_t x = 0; x < count; x++) {
        modulus = problems[x]->modulus > modulus ? problems[x]->modulus : modulus;
    }
    for (uint32_t x = 0; x < problem->recurrence->option_count; x++) {
        options |= problem->has_option[x] ? 1u << x : 0;
    }
    *stamp = (pdp_stamp){.combine = problem->combine, .for_device = on_device};
    pdp_stamp_complete(stamp, problem->recurrence, problem->element, problem->has_source, options);
    switch (problem->element) {
    case PDP_ELEMENT_F32:
    case PDP_ELEMENT_F64:
        stamp->type = problem->element == PDP_ELEMENT_F32 ? PDP_TYPE_F32 : PDP_TYPE_F64;
        /* Without a proof they may become infinite, and then no number. */
        stamp->keeps_nan = stamp->keeps_nan && find_bounds(problems, count, widest).reach >= PDP_UNBOUNDED;
        if (wish && (find_type(wish, &stamp->type, error) != PDP_OK ||
                     (stamp->type != PDP_TYPE_F32 && stamp->type != PDP_TYPE_F64))) {
            return error->status != PDP_OK
                       ? error->status
                       : pdp_error_set(error, PDP_BAD_INPUT, "type %s is for whole numbers, and %s has floats", wish,
                                       problem->recurrence->name);
        }
        return PDP_OK;
    case PDP_ELEMENT_BITS:
    case PDP_ELEMENT_MOD:
        if (wish) {
            return pdp_error_set(error, PDP_BAD_INPUT, "type %s cannot be asked for: %s computes with %s", wish,
                                 problem->recurrence->name, problem->element == PDP_ELEMENT_MOD ? "residues" : "bits");
        }
        stamp->type = problem->element == PDP_ELEMENT_MOD && modulus < (int64_t)1 << 31 ? PDP_TYPE_U32 : PDP_TYPE_U64;
        return PDP_OK;
    default: return choose_whole(stamp, problems, count, wish, level, widest, error);
    }
}
