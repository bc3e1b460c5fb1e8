
'use strict';
/* Heads of tables become buttons that sort, long tables get pages and a search, figures can be
 * enlarged and their series switched, command lines get a button that copies. Without this script
 * the first thousand rows of each table are there, in the order of the results. */
(() => {
	const ROWS = 200; /* of a page of a long table */
	const words = new Intl.Collator('en', {numeric: true});
	const grouped = new Intl.NumberFormat('en');

	const make = (name, properties, ...children) => {
		const element = Object.assign(document.createElement(name), properties);
		element.append(...children);
		return element;
	};
	const button = (text, label, act) => {
		const b = make('button', {type: 'button', textContent: text});
		if (label)
			b.setAttribute('aria-label', label);
		b.addEventListener('click', act);
		return b;
	};

	/* ---- tables: rows of values, with an element or with data to make one from ---- */

	const valueOf = cell => {
		const v = cell.dataset.v;
		return v === undefined ? cell.textContent.trim() : Number(v);
	};
	const shown = (cell, isNumber, texts) => {
		const text = i => typeof i === 'string' ? i : texts[i];
		if (cell === null)
			return '';
		if (Array.isArray(cell))
			return text(cell[1]);
		return isNumber ? grouped.format(cell) : text(cell);
	};
	const dataRow = (raw, isNumber, texts) => ({
		raw,
		values: isNumber.map((n, i) => {
			const cell = raw[i + 1];
			return !n || cell === null ? shown(cell, n, texts)
				: Array.isArray(cell) ? cell[0] : cell;
		}),
	});
	const elementOf = (row, isNumber, texts) => {
		if (!row.element) {
			row.element = make('tr', {className: row.raw[0] ? 'best' : ''});
			isNumber.forEach((n, i) => row.element.append(make('td', {
				className: n ? 'n' : '',
				textContent: shown(row.raw[i + 1], n, texts),
			})));
		}
		return row.element;
	};

	const modelOf = table => {
		const data = table.parentNode.querySelector('script[type="application/json"]');
		const more = data ? JSON.parse(data.textContent) : {rows: [], texts: []};
		const isNumber = Array.from(table.tHead.rows[0].cells, h => h.classList.contains('n'));
		const rows = Array.from(table.tBodies[0].rows, element =>
			({element, values: Array.from(element.cells, valueOf)}));
		for (const raw of more.rows)
			rows.push(dataRow(raw, isNumber, more.texts));
		return {table, rows, found: rows, isNumber, texts: more.texts, isLong: !!data, first: 0};
	};

	/* Words that come again and again are compared once. Empty cells come last, whichever way. */
	const sort = (model, column, sign) => {
		const all = [...new Set(model.rows.map(row => row.values[column]))];
		all.sort((a, b) => a === '' || b === '' ? (a === '') - (b === '')
			: sign * (typeof a === 'number' && typeof b === 'number' ? a - b
				: words.compare(String(a), String(b))));
		const rank = new Map(all.map((value, i) => [value, i]));
		const by = (a, b) => rank.get(a.values[column]) - rank.get(b.values[column]);
		model.rows.sort(by);
		if (model.found !== model.rows)
			model.found.sort(by);
	};

	const show = model => {
		const rows = model.isLong ? model.found.slice(model.first, model.first + ROWS)
			: model.found;
		model.table.tBodies[0].replaceChildren(...rows.map(row =>
			elementOf(row, model.isNumber, model.texts)));
		if (!model.isLong)
			return;
		const n = model.found.length, last = Math.min(n, model.first + ROWS);
		model.place.textContent = n ? `rows ${grouped.format(model.first + 1)} to `
			+ `${grouped.format(last)} of ${grouped.format(n)}` : 'no row has this';
		model.back.forEach(b => { b.disabled = model.first === 0; });
		model.on.forEach(b => { b.disabled = last === n; });
	};
	const go = (model, first) => {
		const end = Math.max(0, Math.ceil(model.found.length / ROWS) - 1) * ROWS;
		model.first = Math.min(Math.max(0, first), end);
		model.table.parentNode.scrollTop = 0;
		show(model);
	};
	const find = (model, text) => {
		const wanted = text.trim().toLowerCase();
		model.found = wanted ? model.rows.filter(row => row.values.some(v =>
			typeof v === 'string' && v.toLowerCase().includes(wanted))) : model.rows;
		go(model, 0);
	};

	const addPager = model => {
		const search = make('input', {type: 'search', placeholder: 'name or policy'});
		let waiting;
		search.addEventListener('input', () => {
			clearTimeout(waiting);
			waiting = setTimeout(() => find(model, search.value), 150);
		});
		model.place = make('span', {className: 'place'});
		model.place.setAttribute('role', 'status');
		model.back = [button('«', 'First rows', () => go(model, 0)),
			button('‹', 'Rows before', () => go(model, model.first - ROWS))];
		model.on = [button('›', 'Rows behind', () => go(model, model.first + ROWS)),
			button('»', 'Last rows', () => go(model, Infinity))];
		const pager = make('div', {className: 'pager'}, make('label', {}, 'Find ', search),
			...model.back, ...model.on, model.place);
		const box = model.table.parentNode;
		box.before(pager);
		if (box.nextElementSibling && box.nextElementSibling.matches('.rest'))
			box.nextElementSibling.remove();
		show(model);
	};

	const turn = (model, head, column) => {
		const down = head.getAttribute('aria-sort') === 'ascending';
		for (const other of head.parentNode.cells)
			other.setAttribute('aria-sort', 'none');
		head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
		sort(model, column, down ? -1 : 1);
		model.first = 0;
		show(model);
	};

	for (const table of document.querySelectorAll('table.sortable')) {
		const model = modelOf(table);
		if (model.isLong)
			addPager(model);
		Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
			const b = button('', '', () => turn(model, head, column));
			b.append(...head.childNodes);
			head.setAttribute('aria-sort', 'none');
			head.append(b);
		});
	}

	/* ---- figures: one of them large, in a dialog ---- */

	const view = {};
	const setView = () => view.svg.setAttribute('viewBox', view.at.join(' '));
	/* x, y: the point that stays where it is, as shares of what is seen. */
	const zoom = (factor, x = .5, y = .5) => {
		const [left, top, width, height] = view.at;
		const w = Math.min(view.whole[2], Math.max(view.whole[2] / 40, width / factor));
		const h = w * view.whole[3] / view.whole[2];
		view.at = [left + (width - w) * x, top + (height - h) * y, w, h];
		move(0, 0);
	};
	/* By shares of what is seen, and not out of the figure. */
	const move = (x, y) => {
		const [left, top, width, height] = view.at;
		const within = (at, size, whole) => Math.min(Math.max(0, at), whole - size);
		view.at = [within(left + x * width, width, view.whole[2]),
			within(top + y * height, height, view.whole[3]), width, height];
		setView();
	};
	const reset = () => {
		view.at = [...view.whole];
		setView();
	};
	const keys = {
		'+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5), '0': reset,
		ArrowLeft: () => move(-.2, 0), ArrowRight: () => move(.2, 0),
		ArrowUp: () => move(0, -.2), ArrowDown: () => move(0, .2),
	};

	const listen = (dialog, stage) => {
		dialog.addEventListener('keydown', event => {
			if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
				return;
			keys[event.key]();
			event.preventDefault();
		});
		stage.addEventListener('wheel', event => {
			const box = view.svg.getBoundingClientRect();
			zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, (event.clientX - box.x) / box.width,
				(event.clientY - box.y) / box.height);
			event.preventDefault();
		}, {passive: false});
		stage.addEventListener('pointerdown', event => stage.setPointerCapture(event.pointerId));
		stage.addEventListener('pointermove', event => {
			const box = view.svg.getBoundingClientRect();
			if (stage.hasPointerCapture(event.pointerId))
				move(-event.movementX / box.width, -event.movementY / box.height);
		});
	};
	const openLarge = figure => {
		if (!view.dialog) {
			view.stage = make('div', {className: 'stage'});
			view.dialog = make('dialog', {className: 'large'}, make('div', {className: 'tools'},
				button('+', 'Zoom in', keys['+']), button('−', 'Zoom out', keys['-']),
				button('Whole', 'Show the whole figure', reset),
				button('Close', '', () => view.dialog.close())), view.stage);
			listen(view.dialog, view.stage);
			document.body.append(view.dialog);
		}
		const svg = figure.querySelector(innerWidth < 640 ? '.narrow svg' : '.wide svg');
		view.svg = svg.cloneNode(true);
		view.whole = svg.getAttribute('viewBox').split(' ').map(Number);
		view.stage.replaceChildren(view.svg);
		view.dialog.setAttribute('aria-label', svg.getAttribute('aria-label'));
		view.dialog.showModal();
		reset();
	};

	/* ---- figures: their series ---- */

	const colourOf = group => (group.innerHTML.match(/var\(--c[1-8]\)|rgb\([^)]*\)/) || [''])[0];
	const switchOf = (figure, group) => {
		const box = make('input', {type: 'checkbox', checked: true});
		const swatch = make('span', {className: 'swatch'});
		swatch.style.background = colourOf(group);
		box.addEventListener('change', () => {
			const all = `g[data-series="${group.dataset.series}"]`;
			for (const one of figure.querySelectorAll(all))
				one.classList.toggle('off', !box.checked);
		});
		return make('label', {}, box, swatch, group.dataset.name);
	};

	for (const figure of document.querySelectorAll('figure')) {
		const groups = [...figure.querySelectorAll('.wide g[data-name]')];
		const tools = make('div', {className: 'tools'},
			button('Enlarge', '', () => openLarge(figure)));
		if (groups.length > 1) {
			const set = make('fieldset', {}, make('legend', {}, 'Series'),
				...groups.map(group => switchOf(figure, group)));
			tools.append(set);
		}
		figure.append(tools);
	}

	/* ---- command lines ---- */

	const copy = async (code, b) => {
		try {
			await navigator.clipboard.writeText(code.textContent);
			b.textContent = 'Copied';
		} catch {
			getSelection().selectAllChildren(code);
			b.textContent = 'Selected';
		}
		setTimeout(() => { b.textContent = 'Copy'; }, 1500);
	};

	/* Options are set apart, so that a line does not break within one. */
	const part = (text, i) => i % 2 ? make('b', {}, text) : text;

	for (const code of document.querySelectorAll('code.command')) {
		code.replaceChildren(...code.textContent.split(/(--[a-z-]+)/).map(part));
		const b = button('Copy', '', () => copy(code, b));
		code.after(b);
	}
})();
