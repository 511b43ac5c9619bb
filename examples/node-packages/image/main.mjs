import { readFileSync, writeFileSync } from 'node:fs'
import { parseDocument } from 'yaml'

const { text } = JSON.parse(readFileSync(process.env.SERVICE_INPUTS_FILE, 'utf8'))

const document = parseDocument(text)
for (const { message } of document.errors) console.error(message)
if (document.errors.length > 0) process.exit(3)

console.log(`read ${text.length} characters of YAML`)
writeFileSync(process.env.SERVICE_OUTPUT_FILE, JSON.stringify({ value: document.toJS() }))
