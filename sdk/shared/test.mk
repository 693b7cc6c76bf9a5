CONFORM  ?= --for 10s

.PHONY: test
test: $(NAME).wasm
	$(FCP_HOST) exec --config off --no-builtin --keep-going --plugin ./$(NAME).wasm tests/basic.fcp 2>&1 | grep -v '^fcp-host: ' > tests/basic.out
	diff -u tests/basic.want tests/basic.out
	$(FCP_HOST) conform $(CONFORM) ./$(NAME).wasm
