/** Every type that a public signature names is exported beside it, so that a program can name it, too. */

import { relative } from 'node:path';
import ts from 'typescript';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const root = new URL('../../..', import.meta.url).pathname;
const entries = [
  'conformance/library/index.ts',
  'conformance/faults/index.ts',
  'reference-server/twin/index.ts',
  'pacts/index.ts',
].map((file) => root + file);

// Symbols are resolved, and nothing is checked, which would take much longer.
const program = ts.createProgram(entries, { noLib: true, allowImportingTsExtensions: true, noEmit: true, types: [] });
const checker = program.getTypeChecker();

function resolved(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

const isOwn = (declaration: ts.Declaration): boolean =>
  declaration.getSourceFile().fileName.startsWith(root) &&
  !declaration.getSourceFile().fileName.includes('node_modules');

/** Tables of which a public type takes single members, whose own types are exported. */
const sources: ReadonlySet<string> = new Set(['Values', 'Settings', 'components']);

/** A helper that its own file keeps to itself has no name for a program either. */
const isNameable = (declaration: ts.Declaration): boolean =>
  isOwn(declaration) && (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0;

/** The parts of a declaration that a program sees: not the bodies of functions, and of values only their types. */
function visibleParts(declaration: ts.Declaration): readonly ts.Node[] {
  if (ts.isFunctionDeclaration(declaration))
    return [...declaration.parameters, declaration.type].filter((one) => !!one);
  if (ts.isVariableDeclaration(declaration)) return declaration.type === undefined ? [] : [declaration.type];
  if (ts.isInterfaceDeclaration(declaration)) return [...declaration.members, ...(declaration.heritageClauses ?? [])];
  return ts.isTypeAliasDeclaration(declaration) ? [declaration.type] : [];
}

/** The symbols of types that a node names. */
function namedTypes(node: ts.Node): readonly ts.Symbol[] {
  const found: ts.Symbol[] = [];
  const visit = (one: ts.Node): void => {
    if (ts.isTypeReferenceNode(one) || ts.isExpressionWithTypeArguments(one)) {
      const name = ts.isTypeReferenceNode(one) ? one.typeName : one.expression;
      const symbol = checker.getSymbolAtLocation(name);
      if (symbol !== undefined) found.push(resolved(symbol));
    }
    ts.forEachChild(one, visit);
  };
  visit(node);
  return found;
}

for (const entry of entries) {
  test(`${relative(root, entry)} exports every type that it names`, () => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
    const exported = new Set(checker.getExportsOfModule(module).map(resolved));
    const missing = new Set<string>();
    for (const symbol of exported) {
      const parts = (symbol.declarations ?? []).filter(isOwn).flatMap(visibleParts);
      for (const named of parts.flatMap(namedTypes)) {
        const isParameter = (named.flags & ts.SymbolFlags.TypeParameter) !== 0;
        if (!isParameter && !exported.has(named) && !sources.has(named.name) && named.declarations?.some(isNameable)) {
          missing.add(`${named.name}, named by ${symbol.name}`);
        }
      }
    }
    assert.equal([...missing], []);
  });
}

test.run();
