/* Prints the keys of the JSON document on standard input as paths, one per line, in order of
 * appearance. Elements of a list are taken together: `list[].key` is in every one of them,
 * `list[].key?` only in some. Exits with 1 unless there is exactly one document. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void print_object(const char *path, const json_t *objects);

/* Objects that stand at the same place, one or many: a list of them. */
static json_t *values_at(const json_t *objects, const char *key)
{
	json_t *values = json_array();
	json_t *object;
	size_t i;

	json_array_foreach((json_t *)(size_t)objects, i, object)
	{
		json_t *value = json_object_get(object, key);
		if (value)
			json_array_append(values, value);
	}
	return values;
}

/* The elements of all lists among the values, as one list. */
static json_t *elements_of(const json_t *values)
{
	json_t *elements = json_array();
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)(size_t)values, i, value) if (json_is_array(value))
		json_array_extend(elements, value);
	return elements;
}

static void print_key(const char *path, const char *key, const json_t *objects)
{
	json_t *values = values_at(objects, key);
	json_t *elements = elements_of(values);
	int some = json_array_size(values) < json_array_size(objects);
	char below[512];

	printf("%s%s%s\n", path, key, some ? "?" : "");
	snprintf(below, sizeof below, "%s%s.", path, key);
	print_object(below, values);
	snprintf(below, sizeof below, "%s%s[].", path, key);
	print_object(below, elements);
	json_decref(values);
	json_decref(elements);
}

static void print_object(const char *path, const json_t *objects)
{
	json_t *seen = json_object();
	json_t *object, *value;
	const char *key;
	size_t i;

	json_array_foreach((json_t *)(size_t)objects, i, object)
	{
		json_object_foreach(object, key, value)
		{
			if (json_object_get(seen, key))
				continue;
			json_object_set_new(seen, key, json_true());
			print_key(path, key, objects);
		}
	}
	json_decref(seen);
}

int main(void)
{
	json_error_t error;
	json_t *root = json_loadf(stdin, 0, &error);
	json_t *objects = json_array();

	if (!root) {
		fprintf(stderr, "not one JSON document: %s\n", error.text);
		json_decref(objects);
		return 1;
	}
	json_array_append_new(objects, root);
	print_object("", objects);
	json_decref(objects);
	return 0;
}
