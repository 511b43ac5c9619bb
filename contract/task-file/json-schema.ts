import { type Field, type Fields, type Form, taskFileFields } from './fields.ts'

const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text }

const sectionOf = (fields: Fields): object => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])),
  required: Object.keys(fields).filter((name) => fields[name]?.isRequired),
  additionalProperties: false,
})

function formOf(form: Form): object {
  switch (form.kind) {
    case 'text':
      return form.maxLength === undefined ? text : { ...text, maxLength: form.maxLength }
    case 'flag':
      return { type: 'boolean' }
    case 'whole':
      return { type: 'integer', minimum: 1, maximum: form.max }
    case 'choice':
      return { enum: form.values }
    case 'names':
      return texts
    case 'variables':
      return { type: 'object', additionalProperties: { type: 'string' } }
    case 'document':
      return { type: ['string', 'object', 'array'], minLength: 1 }
    case 'list':
      return { type: 'array', items: { type: 'object' } }
    case 'network':
      return { anyOf: [{ enum: ['everything', 'nothing'] }, texts] }
    case 'section':
      return sectionOf(form.fields)
    case 'sections':
      return { type: 'array', items: sectionOf(form.fields) }
    case 'text_or_section':
      return { anyOf: [text, sectionOf(form.fields)] }
  }
}

/** Editors show the description. */
const schemaOf = ({ form, description, without }: Field): object => ({
  description: without === undefined ? description : `${description} Without it: ${without}.`,
  ...formOf(form),
})

/** The JSON Schema of a task file, for editors. */
export const taskFileSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Task file of Sandbox Jobs',
  ...sectionOf(taskFileFields),
})

export const taskFileSchemaPath = '/task-file.schema.json'
