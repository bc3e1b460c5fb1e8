
'use strict';
/* Heads of tables become buttons that sort; command lines get one that copies. Without this script
 * all is there, in the order of the results. */
(() => {
	const words = new Intl.Collator('en', {numeric: true});

	/* Cells of numbers carry theirs; empty ones come last, whichever way. */
	const compare = (a, b, sign) => {
		if (a === '' || b === '')
			return (a === '') - (b === '');
		return sign * (typeof a === 'number' && typeof b === 'number'
			? a - b : words.compare(String(a), String(b)));
	};

	const valueOf = cell => {
		const v = cell.dataset.v;
		return v === undefined ? cell.textContent.trim() : Number(v);
	};

	const sort = (table, column, sign) => {
		const body = table.tBodies[0];
		const rows = Array.from(body.rows, row => [valueOf(row.cells[column]), row]);
		rows.sort((a, b) => compare(a[0], b[0], sign));
		body.append(...rows.map(row => row[1]));
	};

	const turn = (table, head, column) => {
		const down = head.getAttribute('aria-sort') === 'ascending';
		for (const other of head.parentNode.cells)
			other.setAttribute('aria-sort', 'none');
		head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
		sort(table, column, down ? -1 : 1);
	};

	for (const table of document.querySelectorAll('table.sortable'))
		Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
			const button = document.createElement('button');
			button.type = 'button';
			button.append(...head.childNodes);
			button.addEventListener('click', () => turn(table, head, column));
			head.setAttribute('aria-sort', 'none');
			head.append(button);
		});

	const copy = async (code, button) => {
		try {
			await navigator.clipboard.writeText(code.textContent);
			button.textContent = 'Copied';
		} catch {
			getSelection().selectAllChildren(code);
			button.textContent = 'Selected';
		}
		setTimeout(() => { button.textContent = 'Copy'; }, 1500);
	};

	/* Options are set apart, so that a line does not break within one. */
	const part = (text, i) => {
		const option = document.createElement('b');
		option.append(text);
		return i % 2 ? option : text;
	};

	for (const code of document.querySelectorAll('code.command')) {
		code.replaceChildren(...code.textContent.split(/(--[a-z-]+)/).map(part));
		const button = document.createElement('button');
		button.type = 'button';
		button.textContent = 'Copy';
		button.addEventListener('click', () => copy(code, button));
		code.after(button);
	}
})();
