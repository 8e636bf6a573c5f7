/** Where the grid's cursor is, and the other corner of the selection. */
export interface Cursor {
  row: number;
  col: number;
  toRow: number;
  toCol: number;
}

export interface Size {
  rows: number;
  cols: number;
  page: number; // rows a page key moves
}

export interface Stroke {
  key: string;
  shift?: boolean;
  jump?: boolean; // Ctrl or ⌘: to the edge
}

const clamp = (v: number, n: number) => Math.max(0, Math.min(n - 1, v));

export function at(row: number, col: number): Cursor {
  return { row, col, toRow: row, toCol: col };
}

/** Moves as a spreadsheet does; undefined when the key is none of the cursor's. */
export function move(c: Cursor, s: Stroke, size: Size): Cursor | undefined {
  let row = c.toRow;
  let col = c.toCol;
  if (!s.shift) {
    row = c.row;
    col = c.col;
  }
  switch (s.key) {
    case "ArrowUp":
      row = s.jump ? 0 : row - 1;
      break;
    case "ArrowDown":
      row = s.jump ? size.rows - 1 : row + 1;
      break;
    case "ArrowLeft":
      col = s.jump ? 0 : col - 1;
      break;
    case "ArrowRight":
      col = s.jump ? size.cols - 1 : col + 1;
      break;
    case "PageUp":
      row -= size.page;
      break;
    case "PageDown":
      row += size.page;
      break;
    case "Home":
      col = 0;
      if (s.jump) row = 0;
      break;
    case "End":
      col = size.cols - 1;
      if (s.jump) row = size.rows - 1;
      break;
    case "Tab": {
      // Tab runs through the cells in reading order and leaves at the ends.
      const flat = c.row * size.cols + c.col + (s.shift ? -1 : 1);
      if (flat < 0 || flat >= size.rows * size.cols) return undefined;
      return at(Math.floor(flat / size.cols), flat % size.cols);
    }
    default:
      return undefined;
  }
  row = clamp(row, size.rows);
  col = clamp(col, size.cols);
  return s.shift ? { ...c, toRow: row, toCol: col } : at(row, col);
}

export interface Block {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export function blockOf(c: Cursor): Block {
  return {
    top: Math.min(c.row, c.toRow),
    bottom: Math.max(c.row, c.toRow),
    left: Math.min(c.col, c.toCol),
    right: Math.max(c.col, c.toCol),
  };
}

export const isOne = (b: Block) => b.top === b.bottom && b.left === b.right;
