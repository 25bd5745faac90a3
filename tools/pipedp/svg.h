/* The few SVG elements that the pictures are made of, and their colours: told apart in greyscale too. */
#ifndef PIPEDP_SVG_H
#define PIPEDP_SVG_H

#include <stddef.h>
#include <stdio.h>

#define SVG_INK "#17212b"
#define SVG_MUTED "#5a6672"
#define SVG_LINE "#8794a1"
#define SVG_PALE_LINE "#dde3e9"
#define SVG_FINAL "#bfcfe0"
#define SVG_BEGUN "#e9eff6"
#define SVG_HAZARD "#c62020"
#define SVG_CONFLICT "#e07b00"

/* White paper of this size (in pixels) with the sans-serif font set. */
void svg_begin(FILE *out, double width, double height);
void svg_end(FILE *out);

/* Text with attributes of <text> besides x and y. Nothing is escaped: it must hold no <, > or &. */
__attribute__((format(printf, 5, 6))) void svg_text(FILE *out, double x, double y, const char *attributes,
                                                    const char *format, ...);

/* A pill around a short white text, `height` high, with its centre at x, y. */
void svg_badge(FILE *out, double x, double y, double height, const char *colour, const char *text);

/* One of a few dark colours, over and over; none of them is the hazard's or the conflict's. */
const char *svg_colour(size_t index);

#endif
