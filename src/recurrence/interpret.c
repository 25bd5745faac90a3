#include "recurrence/interpret.h"

#include <inttypes.h>
#include <math.h>

/* A function of its own: in its caller it would save registers and take stack for everybody. */
#define APART __attribute__((noinline))

/* In which arithmetic an operation is done. Of two operands the later kind wins. */
typedef enum arithmetic { EXACT, MODULAR, SETS, FLOATING } arithmetic;

static arithmetic arithmetic_of_elements(const pdp_bindings *bindings) {
    switch (bindings->element) {
    case PDP_ELEMENT_F32:
    case PDP_ELEMENT_F64: return FLOATING;
    case PDP_ELEMENT_BITS: return SETS;
    case PDP_ELEMENT_MOD: return MODULAR;
    default: return EXACT;
    }
}

/* A comparison or a logical operation, whatever its operands are. */
static bool is_truth(const pdp_node *node) {
    return (node->kind == PDP_NODE_BINARY && node->op >= PDP_OP_LESS && node->op <= PDP_OP_LOGICAL_OR) ||
           (node->kind == PDP_NODE_UNARY && node->op == PDP_OP_NOT);
}

static arithmetic arithmetic_of(const pdp_bindings *bindings, const pdp_node *node) {
    if (!node->is_real && !node->is_element) { /* most nodes */
        return EXACT;
    }
    return is_truth(node) ? EXACT : node->is_real ? FLOATING : arithmetic_of_elements(bindings);
}

/* ---- Errors ------------------------------------------------------------------------------------ */

static APART void fail_as(pdp_status status, pdp_bindings *bindings, const pdp_node *node, const char *what) {
    const pdp_recurrence *recurrence = bindings->recurrence;
    if (bindings->error.status != PDP_OK) {
        return;
    }
    char place[64] = "";
    if (node) {
        snprintf(place, sizeof place, "line %u, column %u: ", node->place.line, node->place.column);
    }
    if (recurrence->shape == PDP_INTERVAL) {
        pdp_error_set(&bindings->error, status, "%s%s at i = %" PRId64 ", k = %" PRId64 ", j = %" PRId64, place, what,
                      bindings->i, bindings->k, bindings->j);
    } else {
        pdp_error_set(&bindings->error, status, "%s%s at i = %" PRId64 ", j = %" PRId64, place, what, bindings->i,
                      bindings->j);
    }
}

static void fail(pdp_bindings *bindings, const pdp_node *node, const char *what) {
    fail_as(PDP_BAD_INPUT, bindings, node, what);
}

/* As in an engine's table, where it is found when all is done. */
static void fail_number(pdp_bindings *bindings, const pdp_node *node) {
    fail_as(PDP_OVERFLOW, bindings, node, "the result is not a number");
}

/* ---- Exact whole numbers, and what is too large for them: see interpret.h ------------------------ */

static bool is_infinite(pdp_wide value) {
    return value >= PDP_WHOLE_INFINITY || value <= -PDP_WHOLE_INFINITY;
}

static bool is_unknown(pdp_wide value) {
    return value == PDP_WHOLE_UNKNOWN;
}

/* Or infinite, or not known. */
static bool is_beyond(pdp_wide value) {
    return value >= PDP_WHOLE_EXACT || value < -PDP_WHOLE_EXACT;
}

static pdp_wide negate(pdp_wide value) {
    return is_unknown(value) ? value : -value;
}

static pdp_wide add_exact(pdp_wide a, pdp_wide b) {
    const pdp_wide much = (pdp_wide)1 << 96; /* all that is less comes to nothing beside what is beyond */
    if (!is_beyond(a) && !is_beyond(b)) {
        const pdp_wide sum = a + b;
        return !is_beyond(sum) ? sum : sum < 0 ? -PDP_WHOLE_BEYOND : PDP_WHOLE_BEYOND;
    }
    if (is_infinite(a) || is_infinite(b)) {
        return is_infinite(a) ? a : b;
    }
    if (is_unknown(a) || is_unknown(b)) {
        return PDP_WHOLE_UNKNOWN;
    }
    const pdp_wide large = is_beyond(a) ? a : b;
    const pdp_wide other = is_beyond(a) ? b : a;
    return (large < 0 ? other > much : other < -much) ? PDP_WHOLE_UNKNOWN : large;
}

static pdp_wide multiply_exact(pdp_wide a, pdp_wide b) {
    pdp_wide product;
    if (!__builtin_mul_overflow(a, b, &product) && !is_beyond(product)) {
        return product;
    }
    const pdp_wide most = is_infinite(a) || is_infinite(b) ? PDP_WHOLE_INFINITY : PDP_WHOLE_BEYOND;
    return is_unknown(a) || is_unknown(b) ? PDP_WHOLE_UNKNOWN : (a < 0) == (b < 0) ? most : -most;
}

static pdp_wide gcd(pdp_wide a, pdp_wide b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        pdp_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* ---- From one arithmetic to another --------------------------------------------------------------- */

static bool is_short(const pdp_bindings *bindings) {
    return bindings->element == PDP_ELEMENT_F32;
}

static double round_real(const pdp_bindings *bindings, double value) {
    return is_short(bindings) ? (double)(float)value : value;
}

/* A whole number that was carried by a float. */
static pdp_wide whole_of_real(double value) {
    return value >= 0x1.cp126 ? PDP_WHOLE_INFINITY : value > -0x1.cp126 ? (pdp_wide)value : -PDP_WHOLE_INFINITY;
}

static pdp_wide reduce(const pdp_bindings *bindings, pdp_wide value) {
    pdp_wide rest = value % bindings->modulus;
    return rest < 0 ? rest + bindings->modulus : rest;
}

static APART pdp_value convert_other(const pdp_bindings *bindings, pdp_value value, arithmetic from, arithmetic to) {
    switch (to) {
    case FLOATING: return (pdp_value){.real = round_real(bindings, (double)value.whole)};
    case SETS: return (pdp_value){.whole = (uint64_t)value.whole};
    case MODULAR: return (pdp_value){.whole = reduce(bindings, value.whole)};
    case EXACT: return from == FLOATING ? (pdp_value){.whole = whole_of_real(value.real)} : value;
    }
    return value;
}

static inline pdp_value convert(const pdp_bindings *bindings, pdp_value value, arithmetic from, arithmetic to) {
    return from == to ? value : convert_other(bindings, value, from, to);
}

/* ---- Operations of two values ---------------------------------------------------------------------- */

static int compare(arithmetic kind, pdp_value a, pdp_value b) {
    return kind == FLOATING ? (a.real > b.real) - (a.real < b.real) : (a.whole > b.whole) - (a.whole < b.whole);
}

static pdp_wide shift_left(pdp_wide value, pdp_wide distance) {
    return distance < 0 || distance > 63 ? 0 : multiply_exact(value, (pdp_wide)1 << distance);
}

static pdp_wide shift_right(pdp_wide value, pdp_wide distance) {
    return is_beyond(value) ? value : distance < 0 || distance > 63 ? 0 : value >> distance;
}

static pdp_wide operate_bits(pdp_op op, pdp_wide a, pdp_wide b) {
    if (is_beyond(a) || is_beyond(b)) { /* whose bits are not known */
        return is_beyond(a) ? a : b;
    }
    return op == PDP_OP_AND ? a & b : op == PDP_OP_OR ? a | b : op == PDP_OP_XOR ? a ^ b : gcd(a, b);
}

static APART pdp_wide operate_exact(pdp_bindings *bindings, const pdp_node *node, pdp_op op, pdp_wide a, pdp_wide b) {
    switch (op) {
    case PDP_OP_ADD: return add_exact(a, b);
    case PDP_OP_SUBTRACT: return add_exact(a, negate(b));
    case PDP_OP_MUL: return multiply_exact(a, b);
    case PDP_OP_AND:
    case PDP_OP_OR:
    case PDP_OP_XOR:
    case PDP_OP_GCD: return operate_bits(op, a, b);
    case PDP_OP_SHIFT_LEFT: return shift_left(a, b);
    case PDP_OP_SHIFT_RIGHT: return shift_right(a, b);
    case PDP_OP_DIVIDE:
    case PDP_OP_REMAINDER:
        if (b == 0) {
            fail(bindings, node, "division by zero");
            return 0;
        }
        if (is_unknown(b)) {
            return is_infinite(a) ? a : b;
        }
        if (is_beyond(a)) {
            return b < 0 && op == PDP_OP_DIVIDE ? negate(a) : a;
        }
        return op == PDP_OP_DIVIDE ? a / b : a % b;
    default: return 0;
    }
}

/* As the exact numbers, on sums and products modulo 2^64; these never leave 128 bits on the way. */
static APART pdp_wide operate_sets(pdp_bindings *bindings, const pdp_node *node, pdp_op op, pdp_wide a, pdp_wide b) {
    uint64_t product = (uint64_t)a * (uint64_t)b;
    switch (op) {
    case PDP_OP_ADD: return (uint64_t)a + (uint64_t)b;
    case PDP_OP_SUBTRACT: return (uint64_t)a - (uint64_t)b;
    case PDP_OP_MUL: return product;
    case PDP_OP_SHIFT_LEFT: return b < 0 || b > 63 ? 0 : (pdp_wide)((uint64_t)a << (unsigned)b);
    default: return operate_exact(bindings, node, op, a, b);
    }
}

static APART pdp_wide operate_modular(const pdp_bindings *bindings, pdp_op op, pdp_wide a, pdp_wide b) {
    switch (op) {
    case PDP_OP_ADD: return (a + b) % bindings->modulus;
    case PDP_OP_SUBTRACT: return reduce(bindings, a - b);
    case PDP_OP_MUL: return a * b % bindings->modulus;
    default: return 0;
    }
}

static double log_sum_exp(double a, double b) {
    double larger = a > b ? a : b;
    return isinf(larger) ? larger : larger + log(exp(a - larger) + exp(b - larger));
}

/* A whole number that is carried by a float is divided as whole numbers are. */
static APART double operate_real(pdp_bindings *bindings, const pdp_node *node, pdp_op op, double a, double b) {
    double result = 0;
    bool is_whole = node && !node->is_real;
    switch (op) {
    case PDP_OP_ADD: result = a + b; break;
    case PDP_OP_SUBTRACT: result = a - b; break;
    case PDP_OP_MUL: result = a * b; break;
    case PDP_OP_DIVIDE: result = a / b; break;
    case PDP_OP_POW: result = is_short(bindings) ? (double)powf((float)a, (float)b) : pow(a, b); break;
    case PDP_OP_LOGSUMEXP: result = log_sum_exp(a, b); break;
    default: return (double)operate_exact(bindings, node, op, whole_of_real(a), whole_of_real(b));
    }
    if (is_whole && op == PDP_OP_DIVIDE) {
        if (b == 0) {
            fail(bindings, node, "division by zero");
            return 0;
        }
        result = trunc(result);
    }
    result = round_real(bindings, result);
    if (isnan(result)) {
        fail_number(bindings, node);
    }
    return result;
}

/* The lesser or the greater, of equal ones the first. */
static pdp_value choose(arithmetic kind, pdp_op op, pdp_value a, pdp_value b) {
    if (kind == EXACT && (is_unknown(a.whole) || is_unknown(b.whole))) {
        return (pdp_value){.whole = PDP_WHOLE_UNKNOWN};
    }
    const int order = compare(kind, b, a);
    return (op == PDP_OP_MIN ? order < 0 : order > 0) ? b : a;
}

/* a (op) b, all of one arithmetic. */
static inline pdp_value operate(pdp_bindings *bindings, const pdp_node *node, arithmetic kind, pdp_op op, pdp_value a,
                                pdp_value b) {
    if (op == PDP_OP_MIN || op == PDP_OP_MAX) {
        return choose(kind, op, a, b);
    }
    switch (kind) {
    case EXACT: return (pdp_value){.whole = operate_exact(bindings, node, op, a.whole, b.whole)};
    case MODULAR: return (pdp_value){.whole = operate_modular(bindings, op, a.whole, b.whole)};
    case SETS: return (pdp_value){.whole = operate_sets(bindings, node, op, a.whole, b.whole)};
    case FLOATING: return (pdp_value){.real = operate_real(bindings, node, op, a.real, b.real)};
    }
    return a;
}

/* What an empty fold is, and a cell with no term. */
static pdp_value identity(const pdp_bindings *bindings, arithmetic kind, pdp_op op) {
    if (kind == FLOATING) {
        double real = op == PDP_OP_MIN                             ? INFINITY
                      : op == PDP_OP_MAX || op == PDP_OP_LOGSUMEXP ? -INFINITY
                      : op == PDP_OP_MUL                           ? 1
                                                                   : 0;
        return (pdp_value){.real = real};
    }
    switch (op) {
    case PDP_OP_MIN: return (pdp_value){.whole = kind == SETS ? (pdp_wide)UINT64_MAX : PDP_WHOLE_INFINITY};
    case PDP_OP_MAX: return (pdp_value){.whole = kind == SETS ? 0 : -PDP_WHOLE_INFINITY};
    case PDP_OP_MUL: return (pdp_value){.whole = kind == MODULAR ? 1 % bindings->modulus : 1};
    case PDP_OP_AND: return (pdp_value){.whole = kind == SETS ? (pdp_wide)UINT64_MAX : -1};
    default: return (pdp_value){.whole = 0};
    }
}

/* ---- Nodes ---------------------------------------------------------------------------------------- */

static pdp_value interpret_as(pdp_bindings *bindings, uint32_t index, arithmetic kind);

/* A plain number on its way to be a residue or a set is computed as one: then nothing is too large. *is_one is false
 * if the operation is not one of such. */
static APART pdp_value interpret_in_ring(pdp_bindings *bindings, const pdp_node *node, arithmetic kind, bool *is_one) {
    const bool by_bits = kind == SETS && (node->op == PDP_OP_AND || node->op == PDP_OP_OR || node->op == PDP_OP_XOR);
    pdp_value a = {.whole = 0};
    if (node->kind == PDP_NODE_CONDITIONAL) {
        return interpret_as(bindings, node->child[pdp_interpret_truth(bindings, node->child[0]) ? 1 : 2], kind);
    }
    if (node->kind == PDP_NODE_UNARY && node->op == PDP_OP_NEGATE) {
        return operate(bindings, node, kind, PDP_OP_SUBTRACT, a, interpret_as(bindings, node->child[0], kind));
    }
    if (node->kind == PDP_NODE_UNARY && node->op == PDP_OP_FLIP && kind == SETS) {
        return (pdp_value){.whole = ~(uint64_t)interpret_as(bindings, node->child[0], kind).whole};
    }
    if (node->kind == PDP_NODE_BINARY &&
        (node->op == PDP_OP_ADD || node->op == PDP_OP_SUBTRACT || node->op == PDP_OP_MUL || by_bits)) {
        a = interpret_as(bindings, node->child[0], kind);
        return operate(bindings, node, kind, node->op, a, interpret_as(bindings, node->child[1], kind));
    }
    *is_one = false;
    return a;
}

static pdp_value interpret_as(pdp_bindings *bindings, uint32_t index, arithmetic kind) {
    const pdp_node *node = &bindings->recurrence->nodes[index];
    const arithmetic own = arithmetic_of(bindings, node);
    if (own == EXACT && node->child_count > 0 && (kind == MODULAR || kind == SETS)) {
        bool is_one = true;
        const pdp_value value = interpret_in_ring(bindings, node, kind, &is_one);
        if (is_one) {
            return value;
        }
    }
    return convert(bindings, pdp_interpret(bindings, index), own, kind);
}

static int64_t bound_index(const pdp_bindings *bindings, const pdp_node *node) {
    return node->which == PDP_INDEX_I ? bindings->i : node->which == PDP_INDEX_K ? bindings->k : bindings->j;
}

static APART void fail_beyond(pdp_bindings *bindings, const pdp_node *node) {
    fail_as(PDP_OVERFLOW, bindings, node, "a number is not between -2^126 and 2^126");
}

/* An index, a bound or a distance: beyond int64 it is as good as the nearest of it. */
static int64_t interpret_index(pdp_bindings *bindings, uint32_t index) {
    const pdp_node *node = &bindings->recurrence->nodes[index];
    if (node->kind == PDP_NODE_INDEX) {
        return bound_index(bindings, node);
    }
    pdp_wide value = interpret_as(bindings, index, EXACT).whole;
    if (is_beyond(value)) {
        fail_beyond(bindings, node);
    }
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

bool pdp_interpret_truth(pdp_bindings *bindings, uint32_t index) {
    const pdp_node *node = &bindings->recurrence->nodes[index];
    pdp_value value = pdp_interpret(bindings, index);
    return arithmetic_of(bindings, node) == FLOATING ? value.real != 0 : value.whole != 0;
}

/* Both operands in the later of their kinds. */
static int interpret_comparison(pdp_bindings *bindings, const pdp_node *node) {
    arithmetic left = arithmetic_of(bindings, &bindings->recurrence->nodes[node->child[0]]);
    arithmetic right = arithmetic_of(bindings, &bindings->recurrence->nodes[node->child[1]]);
    arithmetic kind = left > right ? left : right;
    pdp_value a = interpret_as(bindings, node->child[0], kind);
    pdp_value b = interpret_as(bindings, node->child[1], kind);
    return compare(kind, a, b);
}

static APART void fail_outside(pdp_bindings *bindings, const pdp_node *node, int64_t index, int64_t last) {
    char what[128];
    snprintf(what, sizeof what, "index %" PRId64 " of '%s' is outside 0 .. %" PRId64, index,
             bindings->recurrence->inputs[node->which].name, last);
    fail(bindings, node, what);
}

/* An index that must be 0 .. last. */
static int64_t interpret_inside(pdp_bindings *bindings, const pdp_node *node, uint32_t child, int64_t last) {
    int64_t index = interpret_index(bindings, node->child[child]);
    if (index < 0 || index > last) {
        fail_outside(bindings, node, index, last);
        return 0;
    }
    return index;
}

/* The value of an input in its own kind, as the node's. */
static pdp_value input_value(const pdp_bindings *bindings, const pdp_node *node, pdp_wide whole, double real) {
    if (bindings->recurrence->inputs[node->which].is_real) {
        return (pdp_value){.real = round_real(bindings, real)};
    }
    return convert(bindings, (pdp_value){.whole = whole}, EXACT, arithmetic_of(bindings, node));
}

static APART pdp_value interpret_lookup(pdp_bindings *bindings, const pdp_node *node) {
    const pdp_bound_input *input = &bindings->inputs[node->which];
    int64_t at = interpret_inside(bindings, node, 0, input->extent[0] - 1);
    if (node->child_count == 2) {
        at = at * input->extent[1] + interpret_inside(bindings, node, 1, input->extent[1] - 1);
    }
    if (bindings->error.status != PDP_OK) { /* the input may be empty */
        return (pdp_value){.whole = 0};
    }
    bool is_real = bindings->recurrence->inputs[node->which].is_real;
    return input_value(bindings, node, is_real ? 0 : input->whole[at], is_real ? input->real[at] : 0);
}

static APART pdp_value interpret_sum(pdp_bindings *bindings, const pdp_node *node) {
    const pdp_bound_input *input = &bindings->inputs[node->which];
    int64_t first = interpret_inside(bindings, node, 0, input->extent[0]);
    int64_t end = interpret_inside(bindings, node, 1, input->extent[0]);
    if (bindings->error.status != PDP_OK || end <= first) {
        return input_value(bindings, node, 0, 0);
    }
    if (bindings->recurrence->inputs[node->which].is_real) {
        return input_value(bindings, node, 0, input->real_sums[end] - input->real_sums[first]);
    }
    return input_value(bindings, node, input->whole_sums[end] - input->whole_sums[first], 0);
}

static APART pdp_value interpret_fold(pdp_bindings *bindings, const pdp_node *node) {
    arithmetic kind = arithmetic_of(bindings, node);
    pdp_value value = identity(bindings, kind, node->op);
    if (!node->is_element) { /* plain numbers are int64 */
        value.whole = value.whole > INT64_MAX ? INT64_MAX : value.whole < INT64_MIN ? INT64_MIN : value.whole;
    }
    int64_t bound = interpret_index(bindings, node->child[0]);
    for (int64_t q = 0; q < bound && bindings->error.status == PDP_OK; q++) {
        bindings->variables[node->which] = q;
        pdp_value next = interpret_as(bindings, node->child[1], kind);
        value = q == 0 ? next : operate(bindings, node, kind, node->op, value, next);
    }
    return value;
}

static APART pdp_value interpret_unary(pdp_bindings *bindings, const pdp_node *node) {
    if (node->op == PDP_OP_NOT) {
        return (pdp_value){.whole = !pdp_interpret_truth(bindings, node->child[0])};
    }
    arithmetic kind = arithmetic_of(bindings, node);
    pdp_value value = interpret_as(bindings, node->child[0], kind);
    if (node->op == PDP_OP_FLIP) {
        const pdp_wide whole = convert(bindings, value, kind, EXACT).whole;
        return convert(bindings, (pdp_value){.whole = is_unknown(whole) ? whole : ~whole}, EXACT, kind);
    }
    if (kind == FLOATING) { /* keeps the sign of zero */
        return (pdp_value){.real = -value.real};
    }
    return operate(bindings, node, kind, PDP_OP_SUBTRACT, (pdp_value){.whole = 0}, value);
}

static APART pdp_value interpret_binary(pdp_bindings *bindings, const pdp_node *node) {
    switch (node->op) {
    case PDP_OP_LOGICAL_AND:
        return (pdp_value){.whole = pdp_interpret_truth(bindings, node->child[0]) &&
                                    pdp_interpret_truth(bindings, node->child[1])};
    case PDP_OP_LOGICAL_OR:
        return (pdp_value){.whole = pdp_interpret_truth(bindings, node->child[0]) ||
                                    pdp_interpret_truth(bindings, node->child[1])};
    case PDP_OP_LESS: return (pdp_value){.whole = interpret_comparison(bindings, node) < 0};
    case PDP_OP_LESS_EQUAL: return (pdp_value){.whole = interpret_comparison(bindings, node) <= 0};
    case PDP_OP_GREATER: return (pdp_value){.whole = interpret_comparison(bindings, node) > 0};
    case PDP_OP_GREATER_EQUAL: return (pdp_value){.whole = interpret_comparison(bindings, node) >= 0};
    case PDP_OP_EQUAL: return (pdp_value){.whole = interpret_comparison(bindings, node) == 0};
    case PDP_OP_NOT_EQUAL: return (pdp_value){.whole = interpret_comparison(bindings, node) != 0};
    default: break;
    }
    arithmetic kind = arithmetic_of(bindings, node);
    /* A plain number that is shifted left in a file of sets is on its way to be one: all its 64 bits count. */
    const bool is_set = bindings->element == PDP_ELEMENT_BITS && node->op == PDP_OP_SHIFT_LEFT;
    pdp_value a = interpret_as(bindings, node->child[0], is_set ? SETS : kind);
    if (node->op == PDP_OP_SHIFT_LEFT || node->op == PDP_OP_SHIFT_RIGHT) {
        pdp_value distance = {.whole = interpret_index(bindings, node->child[1])};
        pdp_value shifted = operate(bindings, node, is_set ? SETS : kind, node->op, a,
                                    kind == FLOATING ? convert(bindings, distance, EXACT, FLOATING) : distance);
        return is_set && kind == EXACT ? (pdp_value){.whole = (int64_t)(uint64_t)shifted.whole} : shifted;
    }
    const bool is_twice = node->child[1] == node->child[0]; /* as in squares */
    return operate(bindings, node, kind, node->op, a, is_twice ? a : interpret_as(bindings, node->child[1], kind));
}

static APART pdp_value interpret_call(pdp_bindings *bindings, const pdp_node *node) {
    arithmetic kind = arithmetic_of(bindings, node);
    pdp_value a = interpret_as(bindings, node->child[0], kind);
    if (node->child_count == 2) {
        return operate(bindings, node, kind, node->op, a, interpret_as(bindings, node->child[1], kind));
    }
    double real;
    switch (node->op) { /* by the kernels' own functions: a double that is rounded may differ in the last bit */
    case PDP_OP_SQRT: real = sqrt(a.real); break;
    case PDP_OP_EXP: real = is_short(bindings) ? (double)expf((float)a.real) : exp(a.real); break;
    case PDP_OP_LOG: real = is_short(bindings) ? (double)logf((float)a.real) : log(a.real); break;
    default:
        return kind == FLOATING ? (pdp_value){.real = fabs(a.real)}
                                : (pdp_value){.whole = a.whole < 0 ? negate(a.whole) : a.whole};
    }
    if (isnan(real)) {
        fail_number(bindings, node);
    }
    return (pdp_value){.real = round_real(bindings, real)};
}

static APART pdp_value interpret_muladd(pdp_bindings *bindings, const pdp_node *node) {
    arithmetic kind = arithmetic_of(bindings, node);
    pdp_value a = interpret_as(bindings, node->child[0], kind);
    pdp_value b = node->child[1] == node->child[0] ? a : interpret_as(bindings, node->child[1], kind);
    pdp_value c = interpret_as(bindings, node->child[2], kind);
    if (kind != FLOATING) {
        return operate(bindings, node, kind, PDP_OP_ADD, operate(bindings, node, kind, PDP_OP_MUL, a, b), c);
    }
    double real =
        is_short(bindings) ? (double)fmaf((float)a.real, (float)b.real, (float)c.real) : fma(a.real, b.real, c.real);
    if (isnan(real)) {
        fail_number(bindings, node);
    }
    return (pdp_value){.real = real};
}

/* What has children. */
static APART pdp_value interpret_inner(pdp_bindings *bindings, const pdp_node *node) {
    switch (node->kind) {
    case PDP_NODE_LOOKUP: return interpret_lookup(bindings, node);
    case PDP_NODE_SUM: return interpret_sum(bindings, node);
    case PDP_NODE_FOLD: return interpret_fold(bindings, node);
    case PDP_NODE_UNARY: return interpret_unary(bindings, node);
    case PDP_NODE_BINARY: return interpret_binary(bindings, node);
    case PDP_NODE_CONDITIONAL:
        return interpret_as(bindings, node->child[pdp_interpret_truth(bindings, node->child[0]) ? 1 : 2],
                            arithmetic_of(bindings, node));
    case PDP_NODE_CALL: return interpret_call(bindings, node);
    case PDP_NODE_MULADD: return interpret_muladd(bindings, node);
    default: return (pdp_value){.whole = 0};
    }
}

pdp_value pdp_interpret(pdp_bindings *bindings, uint32_t index) {
    const pdp_node *node = &bindings->recurrence->nodes[index];
    switch (node->kind) {
    case PDP_NODE_WHOLE: return (pdp_value){.whole = node->number};
    case PDP_NODE_REAL: return (pdp_value){.real = round_real(bindings, node->real)};
    case PDP_NODE_INDEX: return (pdp_value){.whole = bound_index(bindings, node)};
    case PDP_NODE_CELL: return bindings->cells[node->which];
    case PDP_NODE_PARAM:
        return node->is_real ? (pdp_value){.real = round_real(bindings, bindings->real_params[node->which])}
                             : (pdp_value){.whole = bindings->params[node->which]};
    case PDP_NODE_DIM: return (pdp_value){.whole = bindings->dims[node->which]};
    case PDP_NODE_VARIABLE: return (pdp_value){.whole = bindings->variables[node->which]};
    default: break;
    }
    const pdp_value value = interpret_inner(bindings, node);
    if (!node->is_element && !node->is_real && is_beyond(value.whole) && arithmetic_of_elements(bindings) != EXACT) {
        fail_beyond(bindings, node); /* where elements are whole numbers it is said of the cell */
    }
    return value;
}

pdp_value pdp_interpret_element(pdp_bindings *bindings, uint32_t node) {
    return interpret_as(bindings, node, arithmetic_of_elements(bindings));
}

pdp_value pdp_interpret_combine(pdp_bindings *bindings, pdp_op op, pdp_value a, pdp_value b) {
    if (op == PDP_OP_OWN) {
        bindings->cells[PDP_CELL_FIRST] = a;
        bindings->cells[PDP_CELL_SECOND] = b;
        return pdp_interpret_element(bindings, bindings->recurrence->combine_own);
    }
    return operate(bindings, NULL, arithmetic_of_elements(bindings), op, a, b);
}

pdp_value pdp_interpret_identity(pdp_bindings *bindings, pdp_op op) {
    if (op == PDP_OP_OWN) {
        return pdp_interpret_element(bindings, bindings->recurrence->combine_identity);
    }
    return identity(bindings, arithmetic_of_elements(bindings), op);
}
