import type { ClipboardEvent, KeyboardEvent } from 'react'
import { Button } from '../parts/button.tsx'
import { useTexts } from '../texts/texts.tsx'
import { valueOfText } from './cell-value.ts'
import type { Field } from './field.ts'
import { FieldGroup } from './field-frame.tsx'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { type Json, valueAt } from './json.ts'
import { pastedList } from './pasted.ts'

type ListField = Extract<Field, { kind: 'list' }>

/** A list, one value below the other. Pasted lines become values; `Alt` with an arrow moves one. */
export function ListControl({ field }: { field: ListField }) {
  const t = useTexts().inputForm
  const form = useForm()
  const value = valueAt(form.value, field.path)
  const values = Array.isArray(value) ? value : []
  const set = (next: Json[]) => form.set(field.path, next)
  const isFixed = (at: number) => at < field.fixed

  function move(at: number, by: -1 | 1) {
    const to = at + by
    const [item, other] = [values[at], values[to]]
    if (item === undefined || other === undefined || isFixed(at) || isFixed(to)) return
    set(values.with(at, other).with(to, item))
  }

  function onKeyDown(event: KeyboardEvent, at: number) {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    if (!event.altKey || by === undefined) return
    event.preventDefault()
    event.stopPropagation()
    move(at, by)
  }

  function onPaste(event: ClipboardEvent, item: Field, at: number) {
    const lines = pastedList(event.clipboardData.getData('text/plain'))
    const isOneLine = item.kind === 'number' || (item.kind === 'text' && !item.hasLines)
    if (lines === undefined || !isOneLine || !field.canAdd) return
    event.preventDefault()
    event.stopPropagation()
    set(values.toSpliced(at, 1, ...lines.map((line) => valueOfText(item, line) ?? '')))
  }

  return (
    <FieldGroup field={field} isPart>
      {field.items.map((item, at) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys and pastes of the controls in it
        <div
          key={JSON.stringify(item.path)}
          className={styles.entry}
          onKeyDown={(event) => onKeyDown(event, at)}
          onPaste={(event) => onPaste(event, item, at)}
        >
          <form.Draw field={item.title === '' ? { ...item, title: t.item(at + 1) } : item} />
          {!isFixed(at) && (
            <ItemButtons
              at={at}
              count={values.length}
              onMove={move}
              onRemove={() => set(values.toSpliced(at, 1))}
            />
          )}
        </div>
      ))}
      {field.canAdd && (
        <Button icon="plus" onPress={() => form.add([...field.path, values.length], field.itemStart)}>
          {t.addItem}
        </Button>
      )}
    </FieldGroup>
  )
}

interface ItemButtonsProps {
  at: number
  count: number
  onMove: (at: number, by: -1 | 1) => void
  onRemove: () => void
}

function ItemButtons({ at, count, onMove, onRemove }: ItemButtonsProps) {
  const t = useTexts().inputForm
  return (
    <span className={styles.row}>
      <Button
        kind="quiet"
        icon="up"
        label={t.moveUp(at + 1)}
        disabledWhy={at === 0 ? t.isFirst : undefined}
        onPress={() => onMove(at, -1)}
      >
        {null}
      </Button>
      <Button
        kind="quiet"
        icon="down"
        label={t.moveDown(at + 1)}
        disabledWhy={at === count - 1 ? t.isLast : undefined}
        onPress={() => onMove(at, 1)}
      >
        {null}
      </Button>
      <Button kind="quiet" icon="trash" label={t.removeItem(at + 1)} onPress={onRemove}>
        {null}
      </Button>
    </span>
  )
}
