import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { FixedRows } from './fixed-rows.tsx'

test('a list has its name, its size and its heading before a row is drawn', () => {
  const list = (
    <FixedRows kind="grid" label="Runs" count={100_000} rowHeight={40} head="Name" row={(index) => index} />
  )
  const markup = renderToStaticMarkup(list)
  expect(markup).toContain('role="grid" aria-label="Runs" tabindex="0" aria-rowcount="100001"')
  expect(markup).toContain('role="row" aria-rowindex="1"')
})

test('the rows around the first are drawn with what the caller says of each', () => {
  const tree = (
    <FixedRows
      kind="tree"
      label="Output"
      count={3}
      rowHeight={24}
      active={1}
      row={(index) => `row ${index}`}
      rowAttributes={(index) => ({ 'aria-level': index + 1 })}
    />
  )
  const markup = renderToStaticMarkup(tree)
  expect(markup).toMatch(/role="treeitem" aria-selected="true" data-active="true" aria-level="2">row 1/)
  expect(markup).toContain('aria-activedescendant')
  expect(markup).not.toContain('aria-rowcount')
})
