import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import styles from './results.module.css'

/*
 * Elements of our own from the tokens of a text in Markdown. HTML is shown as the text that it is, and an address as text after its
 * words: nothing that a tenant writes is followed or loaded.
 */

interface Budget {
  left: number
}

const [tokensMax, depthMax] = [20_000, 32]

export const MarkdownBlocks = ({ tokens }: { tokens: readonly Token[] }) => (
  <div className={styles.markdown} dir="auto">
    {drawn(tokens, { left: tokensMax }, 0)}
  </div>
)

function drawn(tokens: readonly Token[] | undefined, budget: Budget, depth: number): ReactNode[] {
  if (depth > depthMax) return []
  return (tokens ?? []).map((token, key) => {
    budget.left -= 1
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have nothing but their order
    return budget.left < 0 ? null : <Drawn key={key} {...{ token, budget, depth }} />
  })
}

type Draw = (token: never, inner: ReactNode[], within: { budget: Budget; depth: number }) => ReactNode

/** Below the headings of the page. */
const headingTags = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const

const draws: Readonly<Record<string, Draw>> = {
  space: () => null,
  def: () => null,
  hr: () => <hr />,
  br: () => <br />,
  heading: ({ depth }: Tokens.Heading, inner) => {
    const Tag = headingTags[depth - 1] ?? 'h6'
    return <Tag>{inner}</Tag>
  },
  paragraph: (_token: Token, inner) => <p>{inner}</p>,
  blockquote: (_token: Token, inner) => <blockquote className={styles.quote}>{inner}</blockquote>,
  code: ({ text }: Tokens.Code) => (
    <pre className={styles.code} dir="ltr">
      {plainText(text)}
    </pre>
  ),
  list: ({ ordered, start, items }: Tokens.List, _inner, { budget, depth }) => {
    const entries = drawn(items, budget, depth + 1)
    return ordered ? <ol start={Number(start) || 1}>{entries}</ol> : <ul>{entries}</ul>
  },
  list_item: (_token: Token, inner) => <li>{inner}</li>,
  checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
  table: ({ header, rows }: Tokens.Table, _inner, { budget, depth }) => (
    <table className={styles.table}>
      <thead>
        <tr>{header.map((cell, at) => tableCell(cell, { Tag: 'th', at, budget, depth }))}</tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing but their order
          <tr key={at}>
            {row.map((cell, column) => tableCell(cell, { Tag: 'td', at: column, budget, depth }))}
          </tr>
        ))}
      </tbody>
    </table>
  ),
  strong: (_token: Token, inner) => <strong>{inner}</strong>,
  em: (_token: Token, inner) => <em>{inner}</em>,
  del: (_token: Token, inner) => <del>{inner}</del>,
  codespan: ({ text }: Tokens.Codespan) => <code>{plainText(text)}</code>,
  link: ({ href, text }: Tokens.Link, inner) => (
    <>
      {inner}
      {href !== text && href !== `mailto:${text}` && <Address href={href} />}
    </>
  ),
  image: ({ href, text }: Tokens.Image) => (
    <>
      {plainText(text)}
      <Address href={href} />
    </>
  ),
}

function Drawn({ token, budget, depth }: { token: Token; budget: Budget; depth: number }): ReactNode {
  const children = 'tokens' in token ? token.tokens : undefined
  const inner = token.type === 'list' || token.type === 'table' ? [] : drawn(children, budget, depth + 1)
  const draw = Object.hasOwn(draws, token.type) ? draws[token.type] : undefined
  if (draw) return draw(token as never, inner, { budget, depth })
  // Text, escapes and HTML.
  if (inner.length > 0) return inner
  return plainText('text' in token && typeof token.text === 'string' ? token.text : token.raw)
}

interface CellDrawing {
  Tag: 'th' | 'td'
  at: number
  budget: Budget
  depth: number
}

const tableCell = ({ tokens }: Tokens.TableCell, { Tag, at, budget, depth }: CellDrawing) => (
  <Tag key={at}>{drawn(tokens, budget, depth + 1)}</Tag>
)

const Address = ({ href }: { href: string }) => <span className={styles.address}> ({plainText(href)})</span>
