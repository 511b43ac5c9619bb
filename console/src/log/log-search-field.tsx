import { type KeyboardEvent, type Ref, useDeferredValue, useEffect, useEffectEvent, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { SearchInput } from '../parts/search-input.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { SearchState } from './log-messages.ts'
import type { LogQuery } from './log-search.ts'
import styles from './log-view.module.css'

interface LogSearchProps {
  found: SearchState | undefined
  isTooSlow: boolean
  /** Which of the found lines is shown, from 0. */
  match: number | undefined
  onQuery: (query: LogQuery | undefined) => void
  onStep: (step: 1 | -1) => void
  ref?: Ref<HTMLInputElement>
}

/** Search in a log: what to look for, how many lines match, and the way from one to the next. */
export function LogSearchField({ found, isTooSlow, match, onQuery, onStep, ref }: LogSearchProps) {
  const t = useTexts().log
  const [text, setText] = useState('')
  const [isExpression, setIsExpression] = useState(false)
  const settled = useDeferredValue(text)
  const tellQuery = useEffectEvent((query: LogQuery | undefined) => onQuery(query))
  useEffect(
    () => tellQuery(settled === '' ? undefined : { text: settled, isExpression }),
    [settled, isExpression],
  )

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape' && text !== '') setText('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <search className={styles.search}>
      <SearchInput
        ref={ref}
        label={t.search}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <label className={styles.choice}>
        <input
          type="checkbox"
          checked={isExpression}
          onChange={(event) => setIsExpression(event.target.checked)}
        />
        {t.expression}
      </label>
      <span className={styles.count} role="status">
        <FoundCount found={found} isTooSlow={isTooSlow} match={match} />
      </span>
      {found !== undefined && found.lines.length > 0 && (
        <>
          <Button kind="quiet" icon="up" label={t.previousMatch} keys="N" onPress={() => onStep(-1)}>
            {null}
          </Button>
          <Button kind="quiet" icon="down" label={t.nextMatch} keys="n" onPress={() => onStep(1)}>
            {null}
          </Button>
        </>
      )}
    </search>
  )
}

function FoundCount({ found, isTooSlow, match }: Pick<LogSearchProps, 'found' | 'isTooSlow' | 'match'>) {
  const t = useTexts().log
  const formats = useFormats()
  if (isTooSlow) return t.tooSlow
  if (found === undefined) return null
  if (found.isInvalid) return t.noExpression
  const count = found.lines.length
  if (count === 0) return found.isDone ? t.noMatch : t.searching
  if (match === undefined) return t.matches(count, found.isFull)
  const all = found.isFull ? t.moreThan(formats.number(count)) : formats.number(count)
  return t.matchOf(formats.number(match + 1), all)
}
