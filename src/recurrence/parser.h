/* What the parsers of clauses and of expressions share. After an error every token is the text's end, so that all
 * loops stop, and what was made so far is thrown away: nobody looks at a status on the way. */
#ifndef PDP_RECURRENCE_PARSER_H
#define PDP_RECURRENCE_PARSER_H

#include "recurrence/lexer.h"

enum { PDP_MAX_LETS = 64, PDP_MAX_ARGUMENTS = 8, PDP_MAX_LOCALS = PDP_MAX_ARGUMENTS + PDP_MAX_DEPTH };

/* Names that stand for an index or a cell: bits of pdp_clause.names. */
enum {
    PDP_NAME_I = 1 << 0,
    PDP_NAME_K = 1 << 1,
    PDP_NAME_J = 1 << 2,
    PDP_NAME_L = 1 << 3,
    PDP_NAME_R = 1 << 4,
    PDP_NAME_INSIDE = 1 << 5,
    PDP_NAME_S = 1 << 6,
    PDP_NAME_BEST = 1 << 7,
    PDP_NAME_ALL = (1 << 8) - 1
};

/* Where an expression stands, and what it may name there. */
typedef struct pdp_clause {
    const char *name;
    unsigned names;
    bool has_inputs; /* their values, and `sum` */
    bool has_sizes;  /* parameters, and sizes that inputs bind */
} pdp_clause;

/* The name of an argument of a `let` or an own operator, or of a fold's variable. */
typedef struct pdp_local {
    char name[PDP_NAME_SIZE];
    uint32_t node;   /* PDP_NO_NODE: a variable */
    uint32_t number; /* of a variable: no other in the file has it */
} pdp_local;

typedef struct pdp_let {
    char name[PDP_NAME_SIZE];
    bool has_arguments;
    uint32_t argument_count;
    uint32_t first_argument; /* the variables' numbers that the body has for its arguments */
    uint32_t body;
} pdp_let;

typedef struct pdp_parser {
    pdp_recurrence *recurrence;
    pdp_lexer lexer;
    pdp_token token;
    const pdp_clause *clause;
    uint32_t bound_dim; /* the dim that the extent at hand has bound, PDP_NO_NODE: none yet */
    bool may_bind;
    uint32_t level; /* how deep the parser is in itself */
    uint32_t seen;  /* clauses there were, as bits */
    pdp_let lets[PDP_MAX_LETS];
    uint32_t let_count;
    pdp_local locals[PDP_MAX_LOCALS];
    uint32_t local_count;
    uint32_t variable_count;
    uint8_t depth[PDP_MAX_NODES]; /* of the tree under each node */
    char modulus[PDP_NAME_SIZE];  /* `type mod` names a parameter that may come later */
    pdp_place modulus_place;
} pdp_parser;

/* Sets the error, if none is set, at a place, or at the token at hand. */
__attribute__((format(printf, 3, 4))) void pdp_parser_fail(pdp_parser *parser, pdp_place place, const char *format,
                                                           ...);
/* "expected ..., found ...". */
void pdp_parser_expected(pdp_parser *parser, const char *what);

bool pdp_parser_failed(const pdp_parser *parser);
void pdp_parser_advance(pdp_parser *parser);
bool pdp_parser_accept(pdp_parser *parser, int kind);
void pdp_parser_expect(pdp_parser *parser, int kind);
/* The word at hand, if it is this one. */
bool pdp_parser_accept_word(pdp_parser *parser, const char *word);

/* A name that nothing has yet. `what` is what it shall name. */
void pdp_parser_new_name(pdp_parser *parser, char *out, const char *what);

/* Notes a local name, not one of the language's own. */
void pdp_parser_add_local(pdp_parser *parser, const pdp_token *name, uint32_t node);

/* A node behind its children. Refused when the tree or the file gets too large. */
uint32_t pdp_parser_add_node(pdp_parser *parser, const pdp_node *node);

uint32_t pdp_parser_expression(pdp_parser *parser, const pdp_clause *clause);

/* An end of a range: it stops before a comparison, which starts the other end. */
uint32_t pdp_parser_range_end(pdp_parser *parser, const pdp_clause *clause);

/* Pointers to all fields that hold an expression, of those that there are. */
enum { PDP_MAX_ROOTS = 16 + 2 * PDP_MAX_OPTIONS + 4 * PDP_MAX_INPUTS + 2 * PDP_MAX_PARAMS };
uint32_t pdp_recurrence_roots(pdp_recurrence *recurrence, uint32_t *roots[PDP_MAX_ROOTS]);

/* Names are known and trees are built: works out types, what depends on which index, and which look-ups stay inside
 * their input, and refuses what does not fit together. */
pdp_status pdp_recurrence_check(pdp_recurrence *recurrence);

#endif
