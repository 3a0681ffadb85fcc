/* What the readers and writers of model files share. Private to src/io. */
#ifndef PN_IO_H
#define PN_IO_H

#include "base/number.h"
#include "base/text.h"
#include "pinion/io.h"

#define PN_SIZE_MAX ((size_t)64 << 20) /* bytes of the largest file or string that is read */

/* ---------------------------------------------------------------------------------------------
 * The formats. The text of a reader has no byte order mark, at most PN_SIZE_MAX bytes, and
 * text[size] is its only '\0'. `name` stands for the file in messages and
 * is never NULL; `o` and `err` may be NULL. A reader returns NULL with `err` filled on failure. */

pinion_model *pn_urdf_read(const char *text, size_t size, const char *name, const pinion_load_options *o,
                           pinion_error *err);
/* What an SRDF file says of the model that a builder has, called `model` in messages; 0 with `err` filled. */
int pn_srdf_read(pinion_builder *b, const char *path, const char *model, int strict, pinion_error *err);
/* `folder`: where the file is, with the '/' at its end, so that it may name others; NULL: it may not. */
pinion_model *pn_mjcf_read(const char *text, size_t size, const char *name, const char *folder,
                           const pinion_load_options *o, pinion_error *err);
pinion_model *pn_sdf_read(const char *text, size_t size, const char *name, const char *folder,
                          const pinion_load_options *o, pinion_error *err);
pinion_model *pn_json_read(const char *text, size_t size, const char *name, const pinion_load_options *o,
                           pinion_error *err);

/* A new string, to be released with free(); NULL with `err` filled on failure. */
char *pn_json_write(const pinion_model *m, pinion_error *err);
/* These leave out what their format has no words for, and note it (losses.h). */
struct pn_losses;
char *pn_urdf_write(const pinion_model *m, struct pn_losses *l);
char *pn_mjcf_write(const pinion_model *m, struct pn_losses *l);
char *pn_sdf_write(const pinion_model *m, struct pn_losses *l);

/* urdf_write.c: text for an XML attribute or element, & < > " ' and tabs and line ends as references. */
void pn_text_xml(pn_text *t, const char *string);

#endif
