import { render, screen } from "@testing-library/react";
import i18next from "i18next";
import { afterEach, expect, it } from "vitest";
import { Problem } from "../api/problem";
import { openBook } from "../said/said";
import { ProblemBox } from "./states";

afterEach(() => i18next.changeLanguage("en"));

const refused = new Problem(
  422,
  {
    code: "invalid",
    detail: 'template "recall-tags" is not valid',
    errors: [
      {
        path: "gears[8].set.tag_count",
        code: "range",
        message: "tag_count wants int 10..200, got 250 at level 9",
      },
      { path: "note", code: "own", message: "of an older server" },
    ],
    request_id: "r1",
  },
  "",
);

it("says an error of the server in English to an English reader", () => {
  render(<ProblemBox error={refused} />);
  expect(screen.getByRole("alert")).toHaveTextContent('template "recall-tags" is not valid');
});

it("says it in Chinese to a Chinese one, and what it does not know as it came", async () => {
  await openBook("zh");
  await i18next.changeLanguage("zh");
  render(<ProblemBox error={refused} />);
  const box = screen.getByRole("alert");
  expect(box).toHaveTextContent('模版 "recall-tags" 不合法');
  expect(box).toHaveTextContent("gears[8].set.tag_count: tag_count 应为 int 10..200，实际为 250（档位 9）");
  expect(box).toHaveTextContent("of an older server");
});
