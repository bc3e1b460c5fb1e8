/* Around a piece of the program's work. */
#include "preload.h"

#define NAMES 1024

static struct td_vmm_name *names(void)
{
	static __thread struct td_vmm_name all[NAMES];
	return all;
}

void td_gpu_begin(struct td_gpu_passage *p, enum td_vmm_kind kind, cu_stream stream)
{
	p->vmm = td_gpu.on && !td_gpu_inside++ ? td_gpu.vmm : NULL;
	p->kernel = NULL;
	if (!td_gpu.on)
		return;
	p->calm = p->vmm && td_vmm_begin(p->vmm);
	p->work = (struct td_vmm_work){.kind = kind, .stream = stream};
	p->work.names = names();
	p->work.room = NAMES;
}

bool td_gpu_follows(const struct td_gpu_passage *p)
{
	return p->vmm && !p->calm;
}

cu_result td_gpu_enter(struct td_gpu_passage *p)
{
	if (!td_gpu_follows(p))
		return CU_OK;
	td_gpu_name_tables(&p->work);
	return td_vmm_enter(p->vmm, &p->work);
}

void td_gpu_leave(struct td_gpu_passage *p)
{
	if (td_gpu_follows(p)) {
		td_vmm_leave(p->vmm, &p->work);
		if (p->kernel)
			td_gpu_note_kernel(p->kernel, &p->work);
	}
	if (p->vmm)
		td_vmm_end(p->vmm);
	if (td_gpu.on)
		td_gpu_inside--;
}
