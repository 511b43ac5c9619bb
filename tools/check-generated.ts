/**
 * Compares the generated documents with those in the tree, in one process that loads the contract once. Each is also a command
 * of its own: `node tools/write-NAME.ts --check`.
 */
process.argv.push('--check')
for (const name of ['states', 'task-file', 'access', 'openapi', 'sql']) await import(`./write-${name}.ts`)
