/* Wrong on purpose: a shared object like any other, with no policy in it. */
int not_a_policy(void);

int not_a_policy(void)
{
	return 0;
}
