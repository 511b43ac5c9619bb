import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Radios } from './choice-controls.tsx'
import type { ExtraFields, Field } from './field.ts'
import { FieldFrame, FieldGroup, useControl } from './field-frame.tsx'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { ownValue, valueAt } from './json.ts'

type Kind<Name extends Field['kind']> = Extract<Field, { kind: Name }>

/** A value that may be null. */
export function NullableControl({ field }: { field: Kind<'nullable'> }) {
  const t = useTexts().inputForm
  const form = useForm()
  const isNull = valueAt(form.value, field.path) === null
  return (
    <FieldGroup field={field}>
      <label className={styles.option}>
        <input
          type="checkbox"
          checked={isNull}
          onChange={(event) => form.set(field.path, event.target.checked ? null : undefined)}
        />
        {t.none}
      </label>
      {field.field && (
        <form.Draw field={{ ...field.field, title: field.title, isTitleHidden: true, isRequired: true }} />
      )}
    </FieldGroup>
  )
}

const radiosMax = 5

/** One of several kinds of a value. */
export function KindsControl({ field }: { field: Kind<'kinds'> }) {
  const t = useTexts().inputForm
  const form = useForm()
  const control = useControl(field)
  const choose = (kind: number) => form.chooseKind(field, kind)
  const inner = <form.Draw field={{ ...field.field, isTitleHidden: true }} />
  if (field.titles.length <= radiosMax) {
    return (
      <>
        <Radios
          field={field}
          labels={field.titles}
          chosen={field.chosen}
          onChoose={choose}
          canClear={false}
        />
        <div className={styles.inner}>{inner}</div>
      </>
    )
  }
  return (
    <FieldFrame field={field}>
      <select
        {...control}
        className={styles.input}
        aria-label={t.whichKind}
        value={field.chosen}
        onChange={(event) => choose(Number(event.target.value))}
      >
        {field.titles.map((title, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: kinds are identified by their position
          <option key={at} value={at}>
            {title}
          </option>
        ))}
      </select>
      <div className={styles.inner}>{inner}</div>
    </FieldFrame>
  )
}

/** Entries whose names the person writes. */
export function ExtraEntries({ field, extra }: { field: Field; extra: ExtraFields }) {
  const t = useTexts().inputForm
  const form = useForm()
  const [name, setName] = useState('')
  const isTaken = ownValue(valueAt(form.value, field.path), name) !== undefined
  function add() {
    form.add([...field.path, name], '')
    setName('')
  }
  return (
    <div className={styles.entries}>
      {extra.fields.map((entry) => (
        <div key={JSON.stringify(entry.path)} className={styles.entry}>
          <form.Draw field={entry} />
          <Button
            kind="quiet"
            icon="trash"
            label={t.removeNamed(entry.title)}
            onPress={() => form.set(entry.path, undefined)}
          >
            {null}
          </Button>
        </div>
      ))}
      {extra.canAdd && (
        <div className={styles.row}>
          <input
            className={styles.input}
            aria-label={t.entryName}
            placeholder={t.entryName}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button
            icon="plus"
            onPress={add}
            disabledWhy={name === '' ? t.entryNeedsName : isTaken ? t.entryTaken(plainText(name)) : undefined}
          >
            {t.addEntry}
          </Button>
        </div>
      )}
    </div>
  )
}
