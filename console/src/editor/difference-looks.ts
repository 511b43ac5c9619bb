import { EditorView } from '@codemirror/view'

/** Lines and words that were removed and added, in the colours of the page. Bars in the gutter and underlined words repeat the colours. */
export const differenceLooks = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--danger-tint)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--success-tint)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    textDecoration: 'underline 2px var(--danger)',
  },
  '&.cm-merge-b .cm-changedText': { background: 'none', textDecoration: 'underline 2px var(--success)' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--danger)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--success)' },
  '.cm-collapsedLines': { background: 'var(--surface)', color: 'var(--soft)', font: 'var(--label)' },
  // Both columns scroll together, in what is around them.
  '.cm-scroller': { maxBlockSize: 'none' },
})
