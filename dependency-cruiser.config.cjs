// Who may import whom. Arrows point one way: main → http, cli → domain folders → live-logs, queue, executor,
// storage, db, postgres → base → contract. A rule that is broken fails ./check.

// Each domain may use those before it.
const domainOrder = [
  'audit',
  'platform',
  'settings',
  'environments',
  'findings',
  'builds',
  'tasks',
  'runs',
  'operator',
  'backup',
]
const domains = `^server/(${domainOrder.join('|')})/`
const mechanisms = '^server/(live-logs|queue|executor|storage|db|postgres|confine)/'
const tests =
  '([.]test[.]ts$|^server/(testing|conformance|fuzz|simulation|builds/(hostile|fuzz-archives)|runs/canaries)/|conformance[.]ts$)'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle has no bottom to start reading from.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'contract-knows-nobody',
      comment: 'The contract runs in a browser: no server, no Node.',
      severity: 'error',
      from: { path: '^contract/', pathNot: tests },
      to: { path: ['^(server|cli|e2e|bench)/', '^node:'] },
    },
    {
      name: 'contract-needs-no-node',
      comment: 'The contract runs in a browser.',
      severity: 'error',
      from: { path: '^contract/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'base-is-the-bottom',
      comment: 'Everything stands on base; it stands on the contract alone.',
      severity: 'error',
      from: { path: '^server/base/', pathNot: tests },
      to: { path: '^server/', pathNot: '^server/base/' },
    },
    {
      name: 'mechanisms-know-no-domain',
      comment: 'Queue, executor, storage, database: tools that any domain could use.',
      severity: 'error',
      from: { path: mechanisms, pathNot: tests },
      to: { path: [domains, '^server/(http|main|agent-tools)/'] },
    },
    {
      name: 'executor-knows-only-base',
      comment: 'The host agent is root and small: no database, no storage, nothing of a tenant.',
      severity: 'error',
      from: { path: '^server/executor/', pathNot: tests },
      to: { path: '^server/', pathNot: '^server/(executor|base)/' },
    },
    {
      name: 'agent-is-only-executor',
      comment: 'The process that stays root has no database, no storage and nothing of a tenant.',
      severity: 'error',
      from: { path: '^server/main/agent[.]ts$' },
      to: { path: '^server/', pathNot: '^server/(executor|base|main/supervisor|postgres/account[.]ts)' },
    },
    ...domainOrder.slice(0, -1).map((domain, index) => ({
      name: `${domain}-uses-domains-before-it`,
      comment: 'The arrows between domains have one direction too.',
      severity: 'error',
      from: { path: `^server/${domain}/`, pathNot: tests },
      to: { path: `^server/(${domainOrder.slice(index + 1).join('|')})/` },
    })),
    {
      name: 'domains-know-no-transport',
      comment: 'A use case does not know who asked.',
      severity: 'error',
      from: { path: domains, pathNot: tests },
      to: { path: '^server/(http|main|agent-tools)/' },
    },
    {
      name: 'transports-use-services',
      comment: 'A route parses, calls one service function and renders: it has no store.',
      severity: 'error',
      from: { path: '^server/(http|agent-tools)/', pathNot: tests },
      to: { path: '-store[.]ts$' },
    },
    {
      name: 'a-store-belongs-to-its-folder',
      comment: 'A domain uses another through its service.',
      severity: 'error',
      from: { path: '^server/([^/]+)/', pathNot: `${tests}|^server/main/` },
      to: { path: '-store[.]ts$', pathNot: '^server/$1/' },
    },
    {
      name: 'only-main-builds',
      comment: 'Entry points are where objects are made; nothing imports them but the command line.',
      severity: 'error',
      from: { path: '^server/', pathNot: `${tests}|^server/main/` },
      to: { path: '^server/main/', pathNot: '^server/main/supervisor/ready-message[.]ts$' },
    },
    {
      name: 'clients-use-the-contract',
      comment:
        'Scenarios are outside: they speak HTTP. Choices by a seed, a registry to pull from and what is compiled for tests belong to nobody.',
      severity: 'error',
      from: { path: '^e2e/', pathNot: '^e2e/escape/' },
      to: {
        path: '^server/',
        pathNot:
          '^server/(base/draw|builds/hostile/registry/registry-fixture|executor/oci/native/lend-native)[.]ts$',
      },
    },
    {
      name: 'escapes-use-the-executor',
      comment: 'Who tries to get out of sandboxes starts them as the worker does, and knows nothing else.',
      severity: 'error',
      from: { path: '^e2e/escape/' },
      to: { path: '^server/', pathNot: '^server/executor/' },
    },
    {
      name: 'commands-use-entry-points',
      comment: 'The command line starts the service through its entry points.',
      severity: 'error',
      from: { path: '^cli/', pathNot: tests },
      to: { path: '^server/', pathNot: '^server/main/' },
    },
    {
      name: 'nothing-imports-tests',
      comment: 'What ships does not need what proves it.',
      severity: 'error',
      from: { pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'declared-packages-only',
      comment: 'A package that no manifest names is there by luck.',
      severity: 'error',
      from: { path: '^(contract|server|cli)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere would pass every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules/(?!@sandbox-jobs)' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
