import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { byText, DataTable, type Column } from "./DataTable";

interface Row {
  id: string;
  rt: number;
}
const drawn = vi.fn((r: Row) => `${r.rt} ms`);
const columns: Column<Row>[] = [
  { key: "id", title: "id", render: (r) => r.id, sort: byText((r) => r.id) },
  { key: "rt", title: "RT", render: (r) => drawn(r) },
];
const rows = ["b", "a8", "a7"].map((id, i) => ({ id, rt: i }));
const table = (of: Row[], onOpen: (r: Row) => void) => (
  <DataTable
    label="points"
    columns={columns}
    rows={of}
    rowKey={(r) => r.id}
    onOpen={onOpen}
    initialSort={{ key: "id" }}
  />
);
const texts = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((r) => r.textContent);

beforeEach(() => {
  drawn.mockClear();
});

it("draws again only rows that changed, whatever the page makes anew", () => {
  const { rerender } = render(table(rows, () => {}));
  expect(texts()).toEqual(["a72 ms", "a81 ms", "b0 ms"]);
  drawn.mockClear();
  rerender(table([...rows], () => {}));
  expect(drawn).not.toHaveBeenCalled();
  rerender(table([rows[0]!, { id: "a8", rt: 7 }, rows[2]!], () => {}));
  expect(drawn).toHaveBeenCalledTimes(1);
  expect(texts()).toEqual(["a72 ms", "a87 ms", "b0 ms"]);
});

it("opens a row the way the page says last", async () => {
  const [before, after] = [vi.fn(), vi.fn()];
  const { rerender } = render(table(rows, before));
  rerender(table(rows, after));
  await userEvent.click(screen.getByText("a8"));
  expect(before).not.toHaveBeenCalled();
  expect(after).toHaveBeenCalledWith(rows[1]);
});
