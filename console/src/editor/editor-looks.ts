import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The tokens of the page hold in a shadow root too. */
export const looks = EditorView.theme({
  '&': {
    border: '1px solid var(--control)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--bg)',
    color: 'var(--text)',
    font: 'var(--code)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { maxBlockSize: '60dvh', overflow: 'auto', font: 'inherit' },
  '.cm-content': { minBlockSize: '6lh', padding: 'var(--space-1) 0', caretColor: 'var(--text)' },
  '.cm-gutters': {
    border: '0',
    backgroundColor: 'var(--surface)',
    color: 'var(--soft)',
  },
  '.cm-specialChar': { color: 'var(--danger)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-tint)' },
  '.cm-cursor': { borderInlineStartColor: 'var(--text)' },
})

export const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--platform)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--success)' },
  { tag: [tags.number, tags.propertyName, tags.variableName], color: 'var(--accent)' },
  { tag: [tags.comment, tags.meta], color: 'var(--soft)' },
])
