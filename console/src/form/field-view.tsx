import { Button } from '../parts/button.tsx'
import { useTexts } from '../texts/texts.tsx'
import { BytesControl } from './bytes-control.tsx'
import { textOfValue } from './cell-value.ts'
import { ChoiceControl, ChoicesControl, FlagControl } from './choice-controls.tsx'
import type { Field } from './field.ts'
import { FieldFrame, FieldGroup } from './field-frame.tsx'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { valueAt } from './json.ts'
import { JsonControl } from './json-control.tsx'
import { ListControl } from './list-control.tsx'
import { ExtraEntries, KindsControl, NullableControl } from './part-controls.tsx'
import { MomentControl, NumberControl, RunFileControl, TextControl } from './scalar-controls.tsx'
import { TableControl } from './table-control.tsx'

/** A field with all that belongs to it. */
export function FieldView({ field }: { field: Field }) {
  const t = useTexts().inputForm
  if (field.isReadOnly) return <ReadOnly field={field} />
  if (field.isDeprecated) {
    return (
      <details className={styles.deprecated}>
        <summary>
          <bdi>{field.title}</bdi> <span className={styles.soft}>{t.deprecated}</span>
        </summary>
        <FieldControl field={field} />
      </details>
    )
  }
  return <FieldControl field={field} />
}

function ReadOnly({ field }: { field: Field }) {
  const { value } = useForm()
  return (
    <FieldGroup field={field}>
      <output className={styles.constant}>{textOfValue(valueAt(value, field.path) ?? field.default)}</output>
    </FieldGroup>
  )
}

function FieldControl({ field }: { field: Field }) {
  const t = useTexts().inputForm
  if (field.isClosed) return <Closed field={field} />
  switch (field.kind) {
    case 'text':
      return <TextControl field={field} />
    case 'number':
      return <NumberControl field={field} />
    case 'moment':
      return <MomentControl field={field} />
    case 'run_file':
      return <RunFileControl field={field} />
    case 'bytes':
      return <BytesControl field={field} />
    case 'flag':
      return <FlagControl field={field} />
    case 'choice':
      return <ChoiceControl field={field} />
    case 'choices':
      return <ChoicesControl field={field} />
    case 'nothing':
      return (
        <FieldGroup field={field}>
          <output className={styles.constant}>{t.none}</output>
        </FieldGroup>
      )
    case 'constant':
      return (
        <FieldGroup field={field}>
          <output className={styles.constant}>{textOfValue(field.value)}</output>
        </FieldGroup>
      )
    case 'nullable':
      return <NullableControl field={field} />
    case 'kinds':
      return <KindsControl field={field} />
    case 'object':
      return (
        <FieldGroup field={field} isPart actions={<RemovePart field={field} />}>
          {field.fields.map((child) => (
            <FieldView key={JSON.stringify(child.path)} field={child} />
          ))}
          {field.extra && <ExtraEntries field={field} extra={field.extra} />}
        </FieldGroup>
      )
    case 'list':
      return <ListControl field={field} />
    case 'table':
      return <TableControl field={field} />
    case 'json':
      return <JsonControl field={field} />
  }
}

/** An optional part that is not there. */
function Closed({ field }: { field: Field }) {
  const t = useTexts().inputForm
  const form = useForm()
  return (
    <FieldFrame field={field}>
      <Button icon="plus" onPress={() => form.add(field.path, field.start ?? null)}>
        {t.add}
      </Button>
    </FieldFrame>
  )
}

function RemovePart({ field }: { field: Field }) {
  const t = useTexts().inputForm
  const form = useForm()
  if (field.isRequired || typeof field.path.at(-1) !== 'string') return null
  return (
    <Button kind="quiet" icon="trash" label={t.remove} onPress={() => form.set(field.path, undefined)}>
      {null}
    </Button>
  )
}
