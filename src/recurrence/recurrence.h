/* A recurrence: what the parser makes of a .dp file, and all that is known of it before there is data.
 *
 * Expressions are trees of nodes in one array; a node's children come before it, so that a loop over the
 * array sees operands first. Sub-trees may be shared (a `let` that is used twice). */
#ifndef PDP_RECURRENCE_RECURRENCE_H
#define PDP_RECURRENCE_RECURRENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/* The type clause. Without one values are exact whole numbers, in whatever type is proven to hold them. */
typedef enum pdp_element {
    PDP_ELEMENT_WHOLE,
    PDP_ELEMENT_I32,
    PDP_ELEMENT_I64,
    PDP_ELEMENT_F32,
    PDP_ELEMENT_F64,
    PDP_ELEMENT_BITS, /* sets of 64, as uint64 */
    PDP_ELEMENT_MOD   /* 0 .. P-1, P a parameter */
} pdp_element;

static inline bool pdp_element_is_whole(pdp_element element) {
    return element == PDP_ELEMENT_WHOLE || element == PDP_ELEMENT_I32 || element == PDP_ELEMENT_I64;
}

static inline bool pdp_element_is_real(pdp_element element) {
    return element == PDP_ELEMENT_F32 || element == PDP_ELEMENT_F64;
}

typedef enum pdp_node_kind {
    PDP_NODE_WHOLE,       /* number */
    PDP_NODE_REAL,        /* real */
    PDP_NODE_INDEX,       /* which: a pdp_index */
    PDP_NODE_CELL,        /* which: a pdp_cell */
    PDP_NODE_PARAM,       /* which: of params */
    PDP_NODE_DIM,         /* which: of dims, the sizes that inputs bind (n, k, ...) */
    PDP_NODE_LOOKUP,      /* which: of inputs; one or two children */
    PDP_NODE_SUM,         /* which: of inputs; input[a] + ... + input[b-1] for children a, b; 0 if b <= a */
    PDP_NODE_VARIABLE,    /* which: number of the fold around it, from 0 outermost */
    PDP_NODE_FOLD,        /* op; which: its variable; children: the bound (exclusive), the body */
    PDP_NODE_UNARY,       /* op: NEGATE, NOT, FLIP */
    PDP_NODE_BINARY,      /* op */
    PDP_NODE_CONDITIONAL, /* child[0] ? child[1] : child[2] */
    PDP_NODE_CALL,        /* op: MIN, MAX (two children), ABS, SQRT, EXP, LOG (one), POW (two) */
    PDP_NODE_MULADD       /* child[0] * child[1] + child[2], one rounding in floats; made by pdp_recurrence_canonise */
} pdp_node_kind;

/* Operators of nodes, and of `combine` and folds (the names min .. logsumexp). */
typedef enum pdp_op {
    PDP_OP_MIN,
    PDP_OP_MAX,
    PDP_OP_ADD,
    PDP_OP_MUL,
    PDP_OP_AND,
    PDP_OP_OR,
    PDP_OP_XOR,
    PDP_OP_GCD, /* as pdp_operator */
    PDP_OP_LOGSUMEXP,
    PDP_OP_OWN, /* combine with an expression in x and y */
    PDP_OP_SUBTRACT,
    PDP_OP_DIVIDE,
    PDP_OP_REMAINDER,
    PDP_OP_SHIFT_LEFT,
    PDP_OP_SHIFT_RIGHT,
    PDP_OP_LESS,
    PDP_OP_LESS_EQUAL,
    PDP_OP_GREATER,
    PDP_OP_GREATER_EQUAL,
    PDP_OP_EQUAL,
    PDP_OP_NOT_EQUAL,
    PDP_OP_LOGICAL_AND,
    PDP_OP_LOGICAL_OR,
    PDP_OP_NEGATE,
    PDP_OP_NOT,
    PDP_OP_FLIP, /* - ! ~ */
    PDP_OP_ABS,
    PDP_OP_SQRT,
    PDP_OP_EXP,
    PDP_OP_LOG,
    PDP_OP_POW
} pdp_op;

/* Interval: i < k < j. Linear: i the cell, j the number of the offset. */
typedef enum pdp_index { PDP_INDEX_I, PDP_INDEX_K, PDP_INDEX_J } pdp_index;

typedef enum pdp_cell {
    PDP_CELL_LEFT,   /* l = M[i][k] */
    PDP_CELL_RIGHT,  /* r = M[k][j] */
    PDP_CELL_INSIDE, /* inside = M[i+1][j-1] */
    PDP_CELL_SOURCE, /* s = ST[i - offset] */
    PDP_CELL_BEST,   /* best: what was combined, in finish */
    PDP_CELL_FIRST,  /* the two arguments of an own combine */
    PDP_CELL_SECOND
} pdp_cell;

/* Which indices a node depends on: bits 1 << PDP_INDEX_I and so on. l depends on i and k, r on k and j,
 * inside and best on i and j; in linear files s depends on i and j, best on i. */
enum { PDP_USES_I = 1, PDP_USES_K = 2, PDP_USES_J = 4 };

typedef struct pdp_place {
    uint32_t line; /* from 1 */
    uint32_t column;
} pdp_place;

typedef struct pdp_node {
    pdp_node_kind kind;
    pdp_op op;
    uint32_t which;
    uint32_t child[3];
    uint32_t child_count;
    int64_t number;
    double real;
    uint8_t uses;      /* PDP_USES_... */
    bool has_cell;     /* a table cell (l, r, s, best, inside, x, y) is in it */
    bool is_real;      /* its value is a float; otherwise whole (an index, a comparison, an integer element) */
    bool is_element;   /* computed in the element type: a cell or an element input is in it. Otherwise plain int64 */
    bool index_proven; /* LOOKUP, SUM: the index is inside the input whatever the data; otherwise it is checked */
    bool index_everywhere; /* it is so for any points in whatever order, or any cell: also where there is no term */
    pdp_place place;
} pdp_node;

/* `lowest` and `highest` are expressions over params and dims, or PDP_NO_NODE. */
#define PDP_NO_NODE UINT32_MAX
typedef struct pdp_range {
    uint32_t lowest;
    uint32_t highest;
} pdp_range;

enum { PDP_NAME_SIZE = 32 }; /* of a name, with its 0 */

typedef struct pdp_param {
    char name[PDP_NAME_SIZE];
    bool is_operator; /* its value is an operator's name */
    bool is_real;     /* of the file's float type; whole otherwise */
    bool has_default;
    int64_t whole_default;
    double real_default;
    pdp_range range;
    pdp_place place;
} pdp_param;

typedef struct pdp_input {
    char name[PDP_NAME_SIZE];
    uint32_t extent[2]; /* expressions over params and dims; [1] is PDP_NO_NODE for a list */
    bool is_real;       /* of the file's float type. An input that is used in an index, an offset, a size, a
                         * shift's distance or a bit operation is whole, and so is every input of a file without floats */
    bool is_element;  /* its values are of the element type; otherwise plain int64: letters, and inputs that are used in
                       * an index, an offset, a shift's distance (in float files also a bit operation) */
    bool is_optional; /* if it is not given, the clauses that use it (source, option) fall away */
    char *alphabet;   /* or NULL: the letters of a text, numbered from 0 */
    pdp_range range;
    pdp_place place;
} pdp_input;

/* A size that an input binds: extent = dim + shift, extent [which] of input `input`. */
typedef struct pdp_dim {
    char name[PDP_NAME_SIZE];
    uint32_t input;
    uint32_t axis;
    int64_t shift;
} pdp_dim;

typedef enum pdp_report_kind {
    PDP_REPORT_NONE,
    PDP_REPORT_PARENS,
    PDP_REPORT_BRACKETS,
    PDP_REPORT_TREE,
    PDP_REPORT_ITEMS
} pdp_report_kind;

typedef struct pdp_option_clause {
    uint32_t value;     /* expression over i, j, inside */
    uint32_t condition; /* or PDP_NO_NODE */
} pdp_option_clause;

enum {
    PDP_MAX_PARAMS = 16,
    PDP_MAX_INPUTS = 16,
    PDP_MAX_DIMS = 16,
    PDP_MAX_OPTIONS = 8,
    PDP_MAX_NODES = 4096,
    PDP_MAX_DEPTH = 64,
    PDP_MAX_FOLDS = 8, /* inside each other */
    PDP_MAX_TEXT = 1 << 16
};

struct pdp_recurrence {
    char name[PDP_NAME_SIZE];
    pdp_shape shape;
    pdp_element element;
    uint32_t modulus_param; /* PDP_ELEMENT_MOD: of params */

    pdp_node *nodes;
    uint32_t node_count;
    pdp_param params[PDP_MAX_PARAMS];
    uint32_t param_count;
    pdp_input inputs[PDP_MAX_INPUTS];
    uint32_t input_count;
    pdp_dim dims[PDP_MAX_DIMS];
    uint32_t dim_count;

    uint32_t size; /* points of an interval recurrence, cells of a linear one */
    uint32_t term;
    uint32_t inner;  /* the term in canonical form, without what is the same for every k (or offset) ... */
    uint32_t after;  /* ... which is here, over best, i and j: applied to the combined inner terms. Or PDP_NO_NODE */
    uint32_t finish; /* or PDP_NO_NODE, as below */
    pdp_op combine;
    uint32_t combine_param;    /* the operator parameter it comes from, or PDP_NO_NODE */
    uint32_t combine_own;      /* PDP_OP_OWN: expression in x, y */
    uint32_t combine_identity; /* of an own operator, or PDP_NO_NODE */
    pdp_option_clause options[PDP_MAX_OPTIONS];
    uint32_t option_count;
    pdp_report_kind report;
    uint32_t report_input; /* items: of inputs; PDP_NO_NODE: an item is shown by its offset */

    uint32_t leaf;  /* interval */
    uint32_t empty; /* M[i][i], for inside */

    uint32_t offset; /* linear: over j, params, dims */
    uint32_t source; /* over i */
    uint32_t preset_count;
    uint32_t preset_value; /* over i */
    uint32_t offset_dim;   /* the dim that j runs over: 0 <= j < dim */
    bool missing_skip;     /* terms with i < offset fall away; otherwise every cell that is not preset has all terms */
    bool monotone;         /* interval: so the file claims of the best k */
    bool combine_ordered;  /* an own operator that does not commute: the order of the terms must be kept */

    _Atomic size_t users; /* besides its creator: problems */
    pdp_place place;      /* of the file's name */
    pdp_place combine_place;
    pdp_place report_place;
    char *text; /* the file's text, for messages */
    pdp_error error;
};

/* One more user, who ends with pdp_recurrence_free. Returns the recurrence. */
pdp_recurrence *pdp_recurrence_share(const pdp_recurrence *recurrence);

/* "min" .. "logsumexp", and the operator of such a name: false if there is none. */
const char *pdp_op_name(pdp_op op);
bool pdp_op_find(pdp_op *out, const char *name);

/* Why `combine op` does not fit the recurrence's element type, or NULL if it does. For operator parameters. */
const char *pdp_recurrence_refuse_combine(const pdp_recurrence *recurrence, pdp_op op);

#endif
