#include "recurrence/lexer.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_COLUMNS = 56 }; /* of a long line: what fits into the error's text beside the message */

/* The line of a text, 0 characters if there is none. */
static const char *find_line(const char *text, uint32_t line, size_t *length) {
    while (line > 1) {
        const char *end = strchr(text, '\n');
        if (!end) {
            break;
        }
        text = end + 1;
        line--;
    }
    *length = strcspn(text, "\n");
    if (*length > 0 && text[*length - 1] == '\r') {
        --*length;
    }
    return text;
}

pdp_status pdp_place_fail(pdp_error *error, const char *text, pdp_place place, const char *format, ...) {
    if (error->status != PDP_OK) {
        return error->status;
    }
    char message[176];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    size_t length;
    const char *line = find_line(text, place.line, &length);
    size_t column = place.column - 1 < length ? place.column - 1 : length;
    size_t first = column > SHOWN_COLUMNS - 8 ? column - (SHOWN_COLUMNS - 8) : 0;
    size_t count = length - first < SHOWN_COLUMNS ? length - first : SHOWN_COLUMNS;
    char shown[SHOWN_COLUMNS + 1] = {0};
    for (size_t c = 0; c < count; c++) { /* one byte, one column: else the caret would stand elsewhere */
        char byte = line[first + c];
        shown[c] = (byte == '\t') ? ' ' : (byte < ' ' || byte > '~') ? '?' : byte;
    }
    return pdp_error_set(error, PDP_BAD_INPUT, "line %u, column %u: %s\n%s\n%*s^", place.line, place.column, message,
                         shown, (int)(column - first), "");
}

void pdp_lexer_start(pdp_lexer *lexer, const char *text, size_t length, pdp_error *error) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    size_t skipped = strncmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
    *lexer = (pdp_lexer){.text = text,
                         .at = text + skipped,
                         .end = text + length,
                         .line_start = text,
                         .line = 1,
                         .last_end = {1, 1},
                         .error = error};
}

static pdp_place place_at(const pdp_lexer *lexer, const char *at) {
    return (pdp_place){lexer->line, (uint32_t)(at - lexer->line_start) + 1};
}

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name_part(char c) {
    return is_name_start(c) || is_digit(c);
}

/* White space and comments. */
static void skip(pdp_lexer *lexer) {
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '#') {
            while (lexer->at < lexer->end && *lexer->at != '\n' && *lexer->at != '\0') { /* 0 is refused */
                lexer->at++;
            }
        } else if (c == '\n') {
            lexer->at++;
            lexer->line++;
            lexer->line_start = lexer->at;
            lexer->is_new_line = true;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lexer->at++;
        } else {
            return;
        }
    }
}

static void take_name(pdp_lexer *lexer, pdp_token *token) {
    token->kind = PDP_TOKEN_NAME;
    while (is_name_part(token->start[token->length])) {
        token->length++;
    }
    if (token->length >= PDP_NAME_SIZE) {
        pdp_place_fail(lexer->error, lexer->text, token->place, "the name has %u characters; %d are the most",
                       token->length, PDP_NAME_SIZE - 1);
        return;
    }
    memcpy(token->name, token->start, token->length);
}

/* Decimal or hexadecimal, or a real number with a point or an exponent. */
static void take_number(pdp_lexer *lexer, pdp_token *token) {
    const char *c = token->start;
    bool is_hexadecimal = c[0] == '0' && (c[1] == 'x' || c[1] == 'X');
    char *end;
    errno = 0;
    token->kind = PDP_TOKEN_WHOLE;
    token->number = strtoull(c, &end, is_hexadecimal ? 16 : 10);
    bool is_too_large = errno == ERANGE || token->number > (uint64_t)INT64_MAX + 1;
    if (!is_hexadecimal && (*end == '.' || *end == 'e' || *end == 'E')) {
        token->kind = PDP_TOKEN_REAL;
        token->real = strtod(c, &end);
        is_too_large = isinf(token->real);
    }
    token->length = (uint32_t)(end - c);
    if (is_name_part(*end) || *end == '.') {
        while (is_name_part(*end) || *end == '.') {
            end++;
        }
        pdp_place_fail(lexer->error, lexer->text, token->place, "'%.*s' is not a number",
                       end - c < 40 ? (int)(end - c) : 40, c);
    } else if (is_too_large) {
        pdp_place_fail(lexer->error, lexer->text, token->place, "the number is too large; %s",
                       token->kind == PDP_TOKEN_WHOLE ? "9223372036854775807 is the largest"
                                                      : "1.79e308 is the largest");
    }
}

static void take_string(pdp_lexer *lexer, pdp_token *token) {
    token->kind = PDP_TOKEN_STRING;
    token->start++;
    while (token->start[token->length] >= ' ' && token->start[token->length] <= '~' &&
           token->start[token->length] != '"') {
        token->length++;
    }
    if (token->start[token->length] != '"') {
        pdp_place_fail(lexer->error, lexer->text, place_at(lexer, token->start + token->length),
                       "expected '\"' or another printable letter of ASCII");
    }
}

static void take_sign(pdp_lexer *lexer, pdp_token *token) {
    static const struct {
        char text[3];
        int kind;
    } pairs[] = {{"<<", PDP_TOKEN_SHIFT_LEFT},  {">>", PDP_TOKEN_SHIFT_RIGHT},   {"<=", PDP_TOKEN_LESS_EQUAL},
                 {"==", PDP_TOKEN_EQUAL},       {">=", PDP_TOKEN_GREATER_EQUAL}, {"!=", PDP_TOKEN_NOT_EQUAL},
                 {"&&", PDP_TOKEN_LOGICAL_AND}, {"||", PDP_TOKEN_LOGICAL_OR}};
    char c = *token->start;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        if (strncmp(token->start, pairs[p].text, 2) == 0) {
            token->kind = pairs[p].kind;
            token->length = 2;
            return;
        }
    }
    if (c == '\0' || !strchr("+-*/%&|^~!<>=?:,()[]", c)) {
        if (c > ' ' && c <= '~') {
            pdp_place_fail(lexer->error, lexer->text, token->place, "'%c' has no meaning here", c);
        } else {
            pdp_place_fail(lexer->error, lexer->text, token->place,
                           "the byte 0x%02x has no meaning outside a comment; expected plain ASCII",
                           (unsigned)(unsigned char)c);
        }
        return;
    }
    token->kind = (unsigned char)c;
    token->length = 1;
    if (c == '(' || c == '[') {
        lexer->open_brackets++;
    } else if ((c == ')' || c == ']') && lexer->open_brackets > 0) {
        lexer->open_brackets--;
    }
}

/* Does the line that starts here start a clause? */
static bool starts_clause(const pdp_lexer *lexer) {
    size_t length = 0;
    while (is_name_part(lexer->at[length])) {
        length++;
    }
    return is_name_start(*lexer->at) && !(length == 2 && strncmp(lexer->at, "if", 2) == 0) &&
           !(length == 8 && strncmp(lexer->at, "identity", 8) == 0);
}

pdp_token pdp_lexer_take(pdp_lexer *lexer) {
    pdp_token token = {.kind = PDP_TOKEN_END, .start = lexer->end, .place = lexer->last_end};
    if (lexer->error->status != PDP_OK) {
        return token;
    }
    skip(lexer);
    if (lexer->at == lexer->end) {
        return token;
    }
    if (lexer->has_token && lexer->is_new_line && lexer->open_brackets == 0 && starts_clause(lexer)) {
        lexer->is_new_line = false;
        token.kind = PDP_TOKEN_LINE_END;
        return token;
    }
    token.start = lexer->at;
    token.place = place_at(lexer, lexer->at);
    if (is_name_start(*lexer->at)) {
        take_name(lexer, &token);
    } else if (is_digit(*lexer->at)) {
        take_number(lexer, &token);
    } else if (*lexer->at == '"') {
        take_string(lexer, &token);
    } else {
        take_sign(lexer, &token);
    }
    if (lexer->error->status != PDP_OK) {
        token.kind = PDP_TOKEN_END;
        return token;
    }
    lexer->at = token.start + token.length + (token.kind == PDP_TOKEN_STRING);
    lexer->last_end = place_at(lexer, lexer->at);
    lexer->has_token = true;
    lexer->is_new_line = false;
    return token;
}
