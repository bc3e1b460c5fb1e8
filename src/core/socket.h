/* Sockets with a name in the file system. Functions return a descriptor, or 0, or a negative errno.
 */
#ifndef TD_CORE_SOCKET_H
#define TD_CORE_SOCKET_H

#include "tide/error.h"

int td_core_socket_connect(const char *path, struct tide_error *err);
/* Makes room for a server: removes the socket of one that has died. -EADDRINUSE: one is listening;
 * -EEXIST: the name is that of something else. */
int td_core_socket_clear(const char *path, struct tide_error *err);
/* Does that, and listens. The descriptor does not block. */
int td_core_socket_listen(const char *path, struct tide_error *err);

#endif
