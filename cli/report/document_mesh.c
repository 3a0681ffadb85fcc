/* The mesh files of a model, found in its folder and carried along in the page. */
#include "cli/report/document_internal.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

/* The number of a mesh that is in the list already; -1 when it is not. */
static int known(const json_t *list, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry)
    {
        const char *text = json_string_value(json_object_get(entry, "name"));
        if (text && strcmp(text, name) == 0) return (int)i;
    }
    return -1;
}

/* Whether a model has a visual with that mesh. */
static int has_mesh(const pinion_model *m, const char *name)
{
    for (int i = 0; i < pinion_model_visual_count(m); i++) {
        pinion_visual_info visual;
        if (pinion_model_visual(m, i, &visual) == PINION_OK && visual.mesh && strcmp(visual.mesh, name) == 0) return 1;
    }
    return 0;
}

json_t *pn_doc_mesh(cli_meshes *meshes, const char *name)
{
    int index = known(meshes->list, name);
    if (index >= 0) return json_integer(index);

    char *path;
    cli_mesh mesh = {NULL, NULL, 0};
    pinion_error why = {PINION_OK, 0, 0, ""};
    path = pinion_find_mesh(meshes->model_path, name, meshes->doc->package_path, &why);
    cli_mesh_end end = path ? MESH_READ : why.status == PINION_ERR_UNSUPPORTED ? MESH_OUTSIDE : MESH_MISSING;
    /* a result may come from anywhere: it must not choose files that the model beside them has no use for */
    const pinion_model *of_file = meshes->doc->file_model;
    if (end == MESH_READ && of_file && !has_mesh(of_file, name)) end = MESH_STRANGE;
    if (end == MESH_READ) end = pn_doc_mesh_read(path, name, meshes->left, &mesh);
    free(path);
    if (end != MESH_READ) {
        if (!meshes->count[end]++) meshes->one[end] = name;
        return json_null();
    }
    meshes->left -= mesh.size;
    json_t *entry = json_object();
    if (entry) {
        pn_doc_set(meshes->doc, entry, "name", pn_doc_text(name));
        pn_doc_set(meshes->doc, entry, "format", json_string(mesh.format));
        pn_doc_set(meshes->doc, entry, "data", pn_doc_base64(mesh.bytes, mesh.size));
    }
    free(mesh.bytes);
    index = (int)json_array_size(meshes->list);
    pn_doc_add(meshes->doc, meshes->list, entry);
    return json_integer(index);
}

void pn_cli_document_packages(cli_document *doc, const char *package_path)
{
    if (doc) doc->package_path = package_path;
}

void pn_doc_mesh_notes(const cli_meshes *meshes)
{
    static const char *const why[MESH_ENDS] = {
        [MESH_MISSING] = "could not be found",
        [MESH_STRANGE] = "is named by the result, but not by the model's file, and is not read",
        [MESH_OUTSIDE] = "lies outside the model's folder and its packages, and is not read",
        [MESH_OTHER] = "is of a kind that the page does not show; STL, OBJ and DAE files are",
        [MESH_EMPTY] = "is empty",
        [MESH_BROKEN] = "is not what its name says: no mesh could be read from it",
        [MESH_LARGE] = "is too large; 20 MiB of meshes are carried along",
    };
    for (int i = 0; i < MESH_ENDS; i++) {
        const int more = meshes->count[i] - 1;
        char others[64] = "";
        if (more < 0 || !why[i]) continue;
        if (more > 0) snprintf(others, sizeof others, " (and %d more)", more);
        pn_cli_document_note(meshes->doc, "The mesh file %s %s%s. What it would show is drawn from joints and links.",
                             meshes->one[i], why[i], others);
        const int told = i == MESH_OUTSIDE || i == MESH_MISSING;
        if (told && !(meshes->doc->told & 1 << i))
            pn_cli_report(NULL, "the mesh file %s %s%s", meshes->one[i], why[i], others);
        if (told) meshes->doc->told |= 1 << i; /* once, however often the robot is shown */
    }
}
