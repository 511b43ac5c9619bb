import { type JsonRefusal, jsonRefusals } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { numbersOf } from './numbers.ts'

const { number, counted } = numbersOf('en')

/** Texts of the form of an input. */
export const enInput = {
  inputForm: {
    form: 'Form',
    json: 'JSON',
    input: 'Input',
    useExample: 'Use the example',
    size: (size: string, limit: string) => `${size} of ${limit}`,
    optional: 'optional',
    deprecated: 'no longer used',
    example: 'Example:',
    secretNote:
      'Inputs are stored and shown to the room. Use a secret of the room for a password or a token.',
    problems: (count: number) => `${counted(count, 'field needs', 'fields need')} another value`,
    checkedLater: 'This input takes long to check here. It is checked when you submit.',
    notJson: (line: number, refusal: JsonRefusal) =>
      `Line ${number.format(line)}: the text ${jsonRefusals[refusal]}.`,
    losesDigits: 'A number of this size would lose digits. If the job allows it, send it as text.',
    zone: (zone: string) => `Time zone ${zone}`,
    yes: 'Yes',
    no: 'No',
    none: 'None',
    notSet: 'Not set',
    add: 'Add',
    remove: 'Remove',
    removeNamed: (name: string) => `Remove ${name}`,
    whichKind: 'Which kind',
    item: (position: number) => `Item ${number.format(position)}`,
    addItem: 'Add an item',
    removeItem: (position: number) => `Remove item ${number.format(position)}`,
    moveUp: (position: number) => `Move item ${number.format(position)} up`,
    moveDown: (position: number) => `Move item ${number.format(position)} down`,
    isFirst: 'It is the first.',
    isLast: 'It is the last.',
    addRow: 'Add a row',
    rows: (count: number) => counted(count, 'row', 'rows'),
    cell: (column: string, row: number) => `${column}, row ${number.format(row)}`,
    importCsv: 'Add rows from a CSV file',
    entryName: 'Name of the entry',
    addEntry: 'Add the entry',
    entryNeedsName: 'Write a name first.',
    entryTaken: (name: string) => `There is an entry with the name ${name}.`,
    noFiles: 'The run has no files',
    chooseFile: 'Choose a file of the run',
    tooLargeFile: (limit: string) =>
      `Files up to ${limit} can be part of the input. Give a larger one to the run as a file.`,
    noPlan: {
      any_value: 'Any value, as JSON.',
      no_value: 'No value fits here.',
      mixed_types: 'A value of one of several types, as JSON.',
      contradiction: 'Its rules cannot be combined into fields. Write JSON.',
      unknown_reference: 'The schema refers to a part that is not in it. Write JSON.',
      endless_reference: 'This part refers to itself. Write JSON.',
      negation: 'A rule says what the value must not be. Write JSON.',
      too_deep: 'Nested too deeply for a form. Write JSON.',
      too_many_fields: 'Too many fields for a form. Write JSON.',
    },
    limits: {
      atLeast: (value: string) => `at least ${value}`,
      moreThan: (value: string) => `more than ${value}`,
      atMost: (value: string) => `at most ${value}`,
      lessThan: (value: string) => `less than ${value}`,
      multipleOf: (value: string) => `a multiple of ${value}`,
      contains: (count: string) => `at least ${count} of a certain kind`,
      characters: {
        atLeast: (count: string) => `at least ${count} characters`,
        atMost: (count: string) => `at most ${count} characters`,
        between: (least: string, most: string) => `${least} to ${most} characters`,
      },
      items: {
        atLeast: (count: string) => `at least ${count} items`,
        atMost: (count: string) => `at most ${count} items`,
        between: (least: string, most: string) => `${least} to ${most} items`,
      },
      entries: {
        atLeast: (count: string) => `at least ${count} entries`,
        atMost: (count: string) => `at most ${count} entries`,
        between: (least: string, most: string) => `${least} to ${most} entries`,
      },
      formats: {
        email: 'such as ada@example.com',
        uri: 'such as https://example.com/page',
        uuid: 'such as 123e4567-e89b-42d3-a456-426614174000',
        ipv4: 'such as 192.0.2.10',
        ipv6: 'such as 2001:db8::10',
        hostname: 'such as www.example.com',
        regex: 'a regular expression, such as ^[a-z]+$',
        duration: 'such as P1DT12H (a day and 12 hours)',
        'json-pointer': 'such as /rows/0/name',
      },
    },
  },
}

export type EnInput = typeof enInput
