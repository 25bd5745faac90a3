#include "svg.h"

#include <stdarg.h>

#include "text_measure.h"

void svg_begin(FILE *out, double width, double height) {
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
            "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" fill=\"%s\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height, SVG_INK);
}

void svg_end(FILE *out) {
    fputs("</svg>\n", out);
}

void svg_text(FILE *out, double x, double y, const char *attributes, const char *format, ...) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputs("</text>\n", out);
}

void svg_badge(FILE *out, double x, double y, double height, const char *colour, const char *text) {
    const double font = height * 0.72;
    double width = height * 0.45 + font * 0.62 * (double)text_columns(text);
    width = width < height ? height : width;
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" fill=\"%s\" stroke=\"white\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" font-weight=\"bold\" fill=\"white\" "
            "text-anchor=\"middle\">%s</text>\n",
            x - width / 2, y - height / 2, width, height, height / 2, colour, x, y + font * 0.36, font, text);
}

const char *svg_colour(size_t index) {
    static const char *const colours[] = {"#1f5fa8", "#2a7a3b", "#7a3f9d", "#00788a", "#6b4a35", "#3d4a57"};
    return colours[index % (sizeof colours / sizeof *colours)];
}
