/* A driver that answers as the environment says, and does nothing. */
#include <stdlib.h>

static int number(const char *name, int otherwise)
{
	const char *text = getenv(name);

	return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags)
{
	return flags ? 1 : number("FAKE_INIT", 0);
}

int cuDriverGetVersion(int *version)
{
	*version = number("FAKE_VERSION", 13000);
	return 0;
}

int cuDeviceGetCount(int *n)
{
	*n = number("FAKE_DEVICES", 1);
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	if (device)
		return 101;
	*value = attribute == 102 ? number("FAKE_PIECES", 1)
				  : attribute == 141 && number("FAKE_HOST", 1);
	return 0;
}
