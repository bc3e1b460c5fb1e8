/* Wrong on purpose: a shared object without a policy. */
int not_a_policy(void);

int not_a_policy(void)
{
	return 0;
}
