import { memo, type ReactNode } from 'react'
import { lookOf } from './log-colours.ts'
import type { LogRow } from './log-messages.ts'
import styles from './log-view.module.css'

interface LogLineProps {
  /** Undefined until it has come. */
  row: LogRow | undefined
  /** Columns of the numbers; undefined while only the end of the log is known. */
  numberColumns: number | undefined
  isSelected: boolean
  isMatched: boolean
  /** Where the number leads. */
  href: string
  /** The button that shows a line that is cut. */
  cut?: ReactNode
}

/** One row of a log. The number is no part of text that is copied. */
export const LogLine = memo(({ row, numberColumns, isSelected, isMatched, href, cut }: LogLineProps) => {
  if (row === undefined) return <span className={styles.missing} />
  const { line, part, pieces } = row
  return (
    <div
      className={styles.line}
      data-selected={isSelected || undefined}
      data-matched={isMatched || undefined}
    >
      {numberColumns !== undefined && (
        <span className={styles.number} style={{ inlineSize: `${numberColumns}ch` }}>
          {part === 0 && (
            <a href={href} tabIndex={-1} data-line={line + 1}>
              {line + 1}
            </a>
          )}
        </span>
      )}
      <code className={styles.text} dir="ltr">
        {pieces.map(({ text, graphics, isMatch }, at) => {
          if (graphics === undefined && !isMatch) return text
          const Tag = isMatch ? 'mark' : 'span'
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have nothing but their order
            <Tag key={at} style={graphics && lookOf(graphics)}>
              {text}
            </Tag>
          )
        })}
      </code>
      {cut}
    </div>
  )
})
