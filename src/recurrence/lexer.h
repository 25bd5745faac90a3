/* The words of a .dp text, and errors that point into it.
 *
 * A clause is a line. It goes on with the next line as long as a bracket is open, and where the next line starts
 * with anything but a name (an operator, a number) or with `if` or `identity`: a line that starts with any other
 * name is a new clause. So names of clauses are not reserved. Indentation means nothing. */
#ifndef PDP_RECURRENCE_LEXER_H
#define PDP_RECURRENCE_LEXER_H

#include "recurrence/recurrence.h"

/* Single characters stand for themselves. */
enum {
    PDP_TOKEN_END = 256,
    PDP_TOKEN_LINE_END,
    PDP_TOKEN_NAME,
    PDP_TOKEN_WHOLE,
    PDP_TOKEN_REAL,
    PDP_TOKEN_STRING,
    PDP_TOKEN_SHIFT_LEFT,
    PDP_TOKEN_SHIFT_RIGHT,
    PDP_TOKEN_LESS_EQUAL,
    PDP_TOKEN_GREATER_EQUAL,
    PDP_TOKEN_EQUAL,
    PDP_TOKEN_NOT_EQUAL,
    PDP_TOKEN_LOGICAL_AND,
    PDP_TOKEN_LOGICAL_OR
};

typedef struct pdp_token {
    int kind;
    const char *start; /* in the text; of a string, behind its first quote */
    uint32_t length;
    pdp_place place;
    char name[PDP_NAME_SIZE]; /* of a name */
    uint64_t number;          /* up to 2^63: one more than int64, for the number after a minus sign */
    double real;
} pdp_token;

typedef struct pdp_lexer {
    const char *text; /* ends in 0 */
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line;
    uint32_t open_brackets;
    bool has_token;   /* one was taken already, which ended at last_end */
    bool is_new_line; /* no token was taken since the line started */
    pdp_place last_end;
    pdp_error *error; /* its status is set once: only the first error is kept */
} pdp_lexer;

void pdp_lexer_start(pdp_lexer *lexer, const char *text, size_t length, pdp_error *error);

/* The next token; PDP_TOKEN_END after an error. */
pdp_token pdp_lexer_take(pdp_lexer *lexer);

/* Sets an error that shows the place in the text: "line 4, column 11: message", the line, a caret under it. An
 * error that is set already stays. */
__attribute__((format(printf, 4, 5))) pdp_status pdp_place_fail(pdp_error *error, const char *text, pdp_place place,
                                                                const char *format, ...);

#endif
