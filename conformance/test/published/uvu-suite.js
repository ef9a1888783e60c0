import 'petstore-conformance/uvu.suite';
